internal import Scanning

/// The lines that the server sends, each whole with its LF.
package enum StationLine {
    /// The reply to a request that was carried out.
    package static func reply(_ id: RequestID, _ result: some Encodable) -> [UInt8] {
        line(Reply(id: id, result: result))
    }

    /// The reply to a request that was refused; without an id where none could be read.
    package static func error(_ error: RequestError, id: RequestID?) -> [UInt8] {
        line(ErrorReply(error: error, id: id))
    }

    /// The first line of every connection.
    package static func hello(_ hello: Hello) -> [UInt8] {
        line(Notification(method: "hello", params: hello))
    }

    /// An event from its stored body: a JSON object without its seq.
    ///
    /// - Parameters:
    ///   - seq: Its place in the log; nil while nothing can be stored.
    ///   - body: The object as JSON.
    /// - Returns: The line with its LF.
    package static func event(seq: Int64?, body: [UInt8]) -> [UInt8] {
        let head = seq.map { "\"seq\":\($0)," } ?? "\"durable\":false,"
        let opening = "{\"jsonrpc\":\"2.0\",\"method\":\"event\",\"params\":{\(head)"
        var line = Array(opening.utf8)
        line.reserveCapacity(line.count + body.count + 2)
        line += body.dropFirst()
        line += [UInt8(ascii: "}"), UInt8(ascii: "\n")]
        return line
    }

    private static func line(_ value: some Encodable) -> [UInt8] {
        do {
            return try JSONLine.encode(value) + [UInt8(ascii: "\n")]
        } catch {
            // Only a number without a JSON form can fail, and no reply has one unchecked.
            preconditionFailure("a reply that can't be written: \(error)")
        }
    }

    private struct Reply<Result: Encodable>: Encodable {
        let jsonrpc = "2.0"
        let id: RequestID
        let result: Result
    }

    private struct Notification<Parameters: Encodable>: Encodable {
        let jsonrpc = "2.0"
        let method: String
        let params: Parameters
    }

    private struct ErrorReply: Encodable {
        let error: RequestError
        let id: RequestID?

        private enum Key: String, CodingKey { case jsonrpc, error, id }

        func encode(to encoder: any Encoder) throws {
            var members = encoder.container(keyedBy: Key.self)
            try members.encode("2.0", forKey: .jsonrpc)
            try members.encode(error, forKey: .error)
            // The one place where null is sent.
            try members.encode(id, forKey: .id)
        }
    }
}

/// What the server says at once after a client has connected.
package struct Hello: Sendable, Hashable, Codable {
    package let `protocol`: Version
    package let daemon: String
    package let version: String
    package let station: String
    /// The id of the event log.
    package let log: String
    /// The first and last seq that the log has; 1 and 0 where it is empty.
    package let first: Int64
    package let last: Int64
    /// What this client may do: `watch`, `act`.
    package let may: [String]

    /// The version of the station protocol: a new major number breaks clients, a minor one adds.
    package struct Version: Sendable, Hashable, Codable {
        package let major: Int
        package let minor: Int

        package static let current = Version(major: 1, minor: 0)

        package init(major: Int, minor: Int) {
            self.major = major
            self.minor = minor
        }
    }

    package init(
        version: String, station: String, log: String, first: Int64, last: Int64, may: [String]
    ) {
        self.protocol = .current
        self.daemon = "plingsd"
        self.version = version
        self.station = station
        self.log = log
        self.first = first
        self.last = last
        self.may = may
    }
}
