import LineProtocols

/// What a station sends, as text without its LF.
enum Lines {
    static let log = "0197c9a4-5d5c-7f0e-8a39-2f6d1c0b7e55"
    static let otherLog = "0197c9a5-0000-7f0e-8a39-2f6d1c0b7e55"

    /// A hello like the daemon's.
    static let hello = text(
        StationLine.hello(
            Hello(
                version: "0.1.0", station: "kiosk-3", log: log, first: 1, last: 1234,
                may: ["watch", "act"])))

    /// A reply with the result as it is given.
    static func reply(_ id: Int, _ result: String) -> String {
        #"{"id":\#(id),"jsonrpc":"2.0","result":\#(result)}"#
    }

    static func subscribed(_ id: Int = 1, from: Int, log: String = log) -> String {
        reply(id, #"{"from":\#(from),"log":"\#(log)"}"#)
    }

    static func refusal(_ id: Int, _ error: RequestError) -> String {
        text(StationLine.error(error, id: .integer(Int64(id))))
    }

    /// An event with the object as it is given.
    static func event(_ object: String) -> String {
        #"{"jsonrpc":"2.0","method":"event","params":\#(object)}"#
    }

    /// A small event, as an object.
    static func api(_ seq: Int) -> String {
        """
        {"seq":\(seq),"at":"2020-02-28T23:46:26.123Z","reason":"no. \(seq)","state":"online",\
        "type":"api"}
        """
    }

    static func subscribe(_ id: Int = 1, _ parameters: String) -> String {
        #"{"id":\#(id),"jsonrpc":"2.0","method":"subscribe","params":\#(parameters)}"#
    }

    private static func text(_ line: [UInt8]) -> String {
        String(decoding: line.dropLast(), as: UTF8.self)
    }
}

/// The usual beginnings of a connection.
enum Script {
    /// A connection that begins with a subscription from now on.
    static func subscribed(from: Int, _ steps: ScriptedStation.Step...) -> [ScriptedStation.Step] {
        let opening: [ScriptedStation.Step] = [
            .send(Lines.hello), .expect(Lines.subscribe(1, #"{"since":"now"}"#)),
            .send(Lines.subscribed(from: from)),
        ]
        return opening + steps
    }

    /// A connection of a client that comes again with its place in the log.
    static func resumed(
        after seq: Int, _ reply: String, _ steps: ScriptedStation.Step...
    ) -> [ScriptedStation.Step] {
        let wish = #"{"log":"\#(Lines.log)","since":\#(seq)}"#
        let opening: [ScriptedStation.Step] = [
            .send(Lines.hello), .expect(Lines.subscribe(1, wish)), .send(reply),
        ]
        return opening + steps
    }
}
