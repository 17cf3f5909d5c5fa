import LineProtocols
import Scanning
import Testing

@Suite("a line of a reader program")
struct ReaderMessageTests {
    private static let plain = ReaderMessage.Arrival(
        device: "d", token: "1", medium: "nfc", bootNanoseconds: 12)

    private static var full: ReaderMessage.Arrival {
        var arrival = ReaderMessage.Arrival(
            device: "d", token: "2", medium: "nfc", bootNanoseconds: .max)
        arrival.technology = "iso14443a"
        arrival.kind = "NTAG213"
        arrival.uid = "08cbe1f4"
        arrival.uidRandom = true
        arrival.ndef = "d10000"
        arrival.present = true
        return arrival
    }

    private static var broken: ReaderMessage.Arrival {
        var arrival = plain
        arrival.problem = .unreadable
        arrival.reason = "pulled away"
        return arrival
    }

    private static var code: ReaderMessage.Arrival {
        var arrival = ReaderMessage.Arrival(
            device: "d", token: "3", medium: "qr", bootNanoseconds: 0)
        arrival.payload = "00ff"
        return arrival
    }

    private static func device(
        _ state: DeviceState, _ change: (inout ReaderMessage.Device) -> Void
    ) -> ReaderMessage {
        var device = ReaderMessage.Device(id: "a", name: "ACS", state: state)
        change(&device)
        return .device(device)
    }

    static let messages: [(ReaderMessage, String)] = [
        (
            device(.disconnected) { $0.interrupted = true },
            #"{"device":{"id":"a","interrupted":true,"name":"ACS","state":"disconnected"}}"#
        ),
        (
            device(.ready) { $0.occupied = true },
            #"{"device":{"id":"a","name":"ACS","occupied":true,"state":"ready"}}"#
        ),
        (
            .reader(.init(program: "plings-pcsc", version: "0.1.0")),
            #"{"reader":{"program":"plings-pcsc","protocol":1,"version":"0.1.0"}}"#
        ),
        (
            .device(.init(id: "a", name: "ACS", state: .ready)),
            #"{"device":{"id":"a","name":"ACS","state":"ready"}}"#
        ),
        (
            .device(
                .init(
                    id: "a", name: "ACS", state: .degraded, reason: "in use", signals: ["ok"])),
            #"{"device":{"id":"a","name":"ACS","reason":"in use","signals":["ok"],"#
                + #""state":"degraded"}}"#
        ),
        (
            .arrive(plain),
            #"{"arrive":{"bootNanoseconds":12,"device":"d","medium":"nfc","token":"1"}}"#
        ),
        (
            .arrive(full),
            #"{"arrive":{"bootNanoseconds":18446744073709551615,"device":"d","kind":"NTAG213","#
                + #""medium":"nfc","ndef":"d10000","present":true,"technology":"iso14443a","#
                + #""token":"2","uid":"08cbe1f4","uidRandom":true}}"#
        ),
        (
            .arrive(broken),
            #"{"arrive":{"bootNanoseconds":12,"device":"d","medium":"nfc","#
                + #""problem":"unreadable","reason":"pulled away","token":"1"}}"#
        ),
        (
            .arrive(code),
            #"{"arrive":{"bootNanoseconds":0,"device":"d","medium":"qr","payload":"00ff","#
                + #""token":"3"}}"#
        ),
        (
            .depart(.init(device: "d", token: "1", bootNanoseconds: 99)),
            #"{"depart":{"bootNanoseconds":99,"device":"d","token":"1"}}"#
        ),
        (.alive, #"{"alive":{}}"#),
    ]

    @Test("a message is written as documented and read as it was written", arguments: messages)
    func roundTrip(message: ReaderMessage, line: String) throws {
        let bytes = try JSONLine.encode(message)
        #expect(String(decoding: bytes, as: UTF8.self) == line)
        #expect(try JSONLine.decode(ReaderMessage.self, from: bytes) == message)
    }

    @Test("members that are not known are ignored, beside and within the message")
    func laterMembers() throws {
        let line = #"{"alive":{"load":0.5},"later":{"a":1}}"#
        let read = try JSONLine.decode(ReaderMessage.self, from: Array(line.utf8))
        #expect(read == .alive)
    }

    private static let notMessages: [String] = [
        "{}", #"{"later":{}}"#, #"{"alive":{},"reader":{}}"#, "[]", "5", "null",
        #"{"reader":{"protocol":1,"program":"x"}}"#,
        #"{"reader":{"protocol":"1","program":"x","version":"y"}}"#,
        #"{"device":{"id":"a","name":"b","state":"asleep"}}"#,
        #"{"device":{"id":"a","state":"ready"}}"#,
        #"{"arrive":{"device":"d","token":"1","medium":"nfc"}}"#,
        #"{"arrive":{"device":"d","token":1,"medium":"nfc","bootNanoseconds":1}}"#,
        #"{"arrive":{"device":"d","token":"1","medium":"nfc","bootNanoseconds":-1}}"#,
        #"{"arrive":{"device":"d","token":"1","medium":"nfc","bootNanoseconds":1.5}}"#,
        #"{"arrive":{"device":"d","token":"1","medium":"nfc","bootNanoseconds":1,"#
            + #""problem":"odd"}}"#,
        #"{"depart":{"device":"d","bootNanoseconds":1}}"#,
    ]

    private static let faults: [(line: String, says: String)] = [
        ("{}", "the line holds no message"),
        (#"{"arive":{}}"#, #"the line holds no known message, but "arive""#),
        (#"{"alive":{},"reader":{}}"#, "the line holds more than one message"),
        ("[]", "the line has the wrong type"),
        (
            #"{"arrive":{"device":"d","medium":"nfc","bootNanoseconds":1}}"#,
            "arrive.token is missing"
        ),
        (
            #"{"arrive":{"device":"d","token":1,"medium":"nfc","bootNanoseconds":1}}"#,
            "arrive.token has the wrong type"
        ),
        (
            #"{"arrive":{"device":"d","token":"1","medium":"nfc","bootNanoseconds":1.5}}"#,
            "the line holds a number that does not fit"
        ),
        (
            #"{"device":{"id":"a","name":"b","state":"asleep"}}"#,
            "device.state must be one of connected, ready, degraded, disconnected"
        ),
    ]

    @Test("what is wrong with JSON that is no message is said with the member", arguments: faults)
    func fault(_ row: (line: String, says: String)) {
        var found: MemberFault?
        do {
            _ = try JSONLine.decode(ReaderMessage.self, from: Array(row.line.utf8))
        } catch {
            found = (error as? DecodingError).map { MemberFault($0) }
        }
        #expect(found?.description == row.says)
    }

    @Test("the members of an arrival that hold no hexadecimal are named")
    func notHexadecimal() {
        var arrival = Self.plain
        #expect(arrival.notHexadecimal == [])
        arrival.uid = "04A1"
        arrival.ndef = ""
        arrival.payload = "https://s.plings.io/"
        #expect(arrival.notHexadecimal == ["payload"])
        arrival.uid = "4a1"
        arrival.ndef = "d1 01"
        #expect(arrival.notHexadecimal == ["uid", "ndef", "payload"])
    }

    /// The station goes on with a program that sends the first, and replaces one that sends the
    /// second.
    @Test("JSON that is no message is told apart from what is no JSON", arguments: notMessages)
    func notAMessage(line: String) {
        #expect(throws: DecodingError.self) {
            try JSONLine.decode(ReaderMessage.self, from: Array(line.utf8))
        }
        #expect(throws: JSONLine.Malformed.notJSON) {
            try JSONLine.decode(ReaderMessage.self, from: Array((line + "}").utf8))
        }
    }
}
