import LineProtocols
import Platform
import class TestRig.TestFolder
import Testing

@testable import StationClient

@Suite("The connection to a station")
struct StationConnectionTests {
    private let folder = TestFolder()
    private var socket: String { folder.path("socket") }

    /// Connects, calls `status` and gives the error of whichever failed.
    private func failure(
        at path: String? = nil, patience: Duration = .seconds(20)
    ) async throws -> ConnectionError? {
        let path = path ?? socket
        return try await onOwnThread {
            do {
                var connection = try StationConnection(to: path, patience: patience)
                _ = try connection.call("status", EmptyObject())
                return nil
            } catch let error as ConnectionError {
                return error
            }
        }
    }

    @Test("what comes between a request and its reply is kept in its order")
    func notificationsBeforeReply() async throws {
        let station = try ScriptedStation(
            at: socket,
            [
                .send(Lines.hello),
                .expect(#"{"id":1,"jsonrpc":"2.0","method":"status","params":{}}"#),
                .send(Lines.event(#"{"seq":5}"#)), .send(Lines.reply(9, #"{"another's":1}"#)),
                .send(#"{"jsonrpc":"2.0","method":"newer","params":[]}"#),
                .send(Lines.event(#"{"seq":6}"#)), .send(Lines.reply(1, #"{"a":1}"#)),
                .send(Lines.event(#"{"seq":7}"#)), .awaitClose,
            ])
        let path = socket
        let (reply, seqs) = try await onOwnThread {
            var connection = try StationConnection(to: path)
            let reply = try connection.call("status", EmptyObject())
            var seqs: [Int64?] = []
            while seqs.count < 3 {
                if case .event(let event) = try connection.received() {
                    seqs.append(event.seq)
                } else {
                    try connection.receive()
                }
            }
            return (String(decoding: reply, as: UTF8.self), seqs)
        }
        #expect(reply == #"{"a":1}"#)
        #expect(seqs == [5, 6, 7])
        #expect(station.problems() == [])
    }

    @Test("the hello tells who answers")
    func hello() async throws {
        _ = try ScriptedStation(at: socket, [.send(Lines.hello), .awaitClose])
        let path = socket
        let hello = try await onOwnThread { try StationConnection(to: path).hello }
        #expect(hello.station == "kiosk-3")
        #expect(hello.log == Lines.log)
    }

    private static let strangerCases: [(String, String)] = [
        ("HTTP/1.1 400 Bad Request", "its first line is no hello"),
        ("{}", "its first line is no hello"),
        (#"{"jsonrpc":"2.0","method":"event","params":{}}"#, "its first line is no hello"),
        (#"{"method":"hello","params":{"version":"1"}}"#, "its hello is another program's"),
        (
            #"{"method":"hello","params":{"daemon":"otherd","protocol":{"major":1}}}"#,
            "its hello is another program's"
        ),
        (
            #"{"method":"hello","params":{"daemon":"plingsd","protocol":{"major":1}}}"#,
            "its hello is incomplete"
        ),
    ]

    @Test(
        "a first line that is no hello of ours is told",
        arguments: strangerCases)
    func stranger(line: String, reason: String) async throws {
        let station = try ScriptedStation(at: socket, [.send(line), .awaitClose])
        #expect(try await failure() == .stranger(path: socket, reason: reason))
        #expect(station.problems() == [])
    }

    @Test("a later major version of the protocol is told, whatever else its hello says")
    func newerProtocol() async throws {
        let line = #"{"method":"hello","params":{"daemon":"plingsd","protocol":{"major":2}}}"#
        _ = try ScriptedStation(at: socket, [.send(line), .awaitClose])
        let error = try await failure()
        #expect(error == .newerProtocol(path: socket, major: 2))
        let sentence = """
            plingsd at \(socket) speaks version 2 of the station protocol; this plingsctl knows \
            version 1. Update plingsctl.
            """
        #expect(error?.description == sentence)
    }

    @Test("an error in place of the hello is passed on")
    func busy() async throws {
        let error = RequestError.station(.busy, "256 clients are connected already")
        let line = String(decoding: StationLine.error(error, id: nil).dropLast(), as: UTF8.self)
        _ = try ScriptedStation(at: socket, [.send(line)])
        #expect(try await failure() == .turnedAway("256 clients are connected already"))
    }

    private static let silentCases: [[ScriptedStation.Step]] = [
        [ScriptedStation.Step.awaitClose], [.drip(UInt8(ascii: "{"))],
        [.flood(UInt8(ascii: "\n"))],
    ]

    @Test(
        "a station that never says hello is given up, and so is one that drips or floods",
        arguments: silentCases)
    func silent(steps: [ScriptedStation.Step]) async throws {
        let station = try ScriptedStation(at: socket, steps)
        let error = try await failure(patience: .milliseconds(200))
        #expect(error == .silent(path: socket, seconds: 0))
        #expect(station.problems() == [])
    }

    @Test("the sentence about silence names the place and the time")
    func silenceSentence() {
        let error = ConnectionError.silent(path: "/run/s", seconds: 5)
        let sentence = "what listens at /run/s does not answer: no hello within 5 s"
        #expect(error.description == sentence)
        #expect(StationConnection.patience == .seconds(5))
    }

    @Test("a stopped daemon whose queue of connections is full is given up")
    func fullQueue() async throws {
        let listener = try UnixSocket.listen(at: socket, mode: 0o600, group: nil)
        let path = socket
        let errors = try await onOwnThread {
            var errors: [ConnectionError] = []
            // Nobody accepts: each stays in the queue, which is shorter than this.
            for _ in 0..<100 {
                do {
                    _ = try StationConnection(to: path, patience: .milliseconds(10))
                } catch let error as ConnectionError {
                    errors.append(error)
                }
            }
            return errors
        }
        #expect(errors == Array(repeating: .silent(path: socket, seconds: 0), count: 100))
        _ = consume listener
    }

    @Test("a reply that never comes is given up")
    func noReply() async throws {
        let request = #"{"id":1,"jsonrpc":"2.0","method":"status","params":{}}"#
        _ = try ScriptedStation(at: socket, [.send(Lines.hello), .expect(request), .awaitClose])
        let error = try await failure(patience: .seconds(1))
        #expect(error == .noReply(method: "status", seconds: 1))
        #expect(error?.description == "plingsd did not answer status within 1 s")
    }

    @Test("half a line at the end is dropped")
    func halfLine() async throws {
        let request = #"{"id":1,"jsonrpc":"2.0","method":"status","params":{}}"#
        let half = Array(Lines.reply(1, "{}").utf8)
        _ = try ScriptedStation(
            at: socket, [.send(Lines.hello), .expect(request), .sendBytes(half)])
        #expect(try await failure() == .closed(path: socket))
    }

    @Test("what is kept while a reply is waited for has a bound")
    func flood() async throws {
        let event = Lines.event(#"{"seq":1,"text":"\#(String(repeating: "a", count: 1_000_000))"}"#)
        let request = #"{"id":1,"jsonrpc":"2.0","method":"status","params":{}}"#
        let flood = [ScriptedStation.Step](repeating: .send(event), count: 17)
        _ = try ScriptedStation(at: socket, [.send(Lines.hello), .expect(request)] + flood)
        let reason = "more than 16777216 bytes came in place of a reply"
        #expect(try await failure() == .garbled(path: socket, reason: reason))
    }

    @Test("a path that no socket can have is told")
    func longPath() async throws {
        let path = "/tmp/" + String(repeating: "a", count: 200)
        let error = try await failure(at: path)
        #expect(error?.description == "can't connect: connect \(path): File name too long")
    }
}
