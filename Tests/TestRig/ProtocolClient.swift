internal import LineProtocols
package import Platform
internal import Synchronization

/// A client of the station's socket that checks every line it is sent.
///
/// All calls block, at most as long as they say, and one client serves one task at a time. What is
/// wrong with the station's lines is collected in `problems`, which every test looks at last:
/// `#expect(client.problems.isEmpty)`. Checked are each line against the schema, each result
/// against the schema of its method, and, after a `subscribe` by `call`, that no event comes twice
/// or out of order and, where no filter is set, that none is missing.
package final class ProtocolClient: Sendable {
    /// The most that any call waits unless it is told otherwise.
    package static let patience = Duration.seconds(10)

    /// Why there is no answer.
    package enum Failure: Error, CustomStringConvertible, Sendable, Equatable {
        /// An error came in place of the hello.
        case refused(JSONValue)
        /// The station has closed the connection.
        case closed
        /// Nothing came, or nothing was taken, in time.
        case timeout(String)
        case system(SystemError)

        package var description: String {
            switch self {
            case .refused(let error): "refused: \(error)"
            case .closed: "the station has closed the connection"
            case .timeout(let what): "\(what) in time"
            case .system(let error): error.description
            }
        }
    }

    /// One line, as far as its envelope.
    package enum Message: Sendable, Hashable {
        /// The parameters of the hello.
        case hello(JSONValue)
        /// The parameters of an event.
        case event(JSONValue)
        case reply(id: JSONValue, Reply)
        /// The parameters of the station's last word before it closes the connection.
        case bye(JSONValue)
        /// Anything else; it stands among the problems as well.
        case unknown(String)
    }

    /// What came of a request: one of the two is nil.
    package struct Reply: Sendable, Hashable {
        package let result: JSONValue?
        package let error: JSONValue?

        /// A member of the result.
        package subscript(_ name: String) -> JSONValue? { result?[name] }

        /// `data.path` and `data.reason` of the error.
        package var path: String? { error?["data"]?["path"]?.string }
        package var reason: String? { error?["data"]?["reason"]?.string }
    }

    /// The parameters of the hello.
    package let hello: JSONValue
    private let connection: Mutex<ClientLines>

    /// Connects, as soon as somebody listens, and waits for the hello.
    ///
    /// - Parameters:
    ///   - path: The socket.
    ///   - limit: How long both may take together.
    ///   - checksLines: Whether each line is checked; false for measurements alone.
    /// - Throws: `Failure`.
    package init(
        path: String, within limit: Duration = patience, checksLines: Bool = true
    ) throws(Failure) {
        BrokenPipes.areErrors
        let deadline = Deadline(limit)
        var lines = ClientLines(
            socket: try Self.connect(to: path, until: deadline), checksLines: checksLines)
        switch try lines.next(until: deadline) {
        case .hello(let parameters): hello = parameters
        case .reply(_, let reply): throw .refused(reply.error ?? .null)
        case .event, .bye, .unknown: throw .refused("no hello")
        }
        connection = Mutex(lines)
    }

    private static func connect(
        to path: String, until deadline: Deadline
    ) throws(Failure) -> Descriptor {
        while true {
            do {
                let socket = try UnixSocket.connect(to: path)
                try socket.setNonBlocking()
                return socket
            } catch {
                guard error.meansNobodyListens, !deadline.hasPassed else { throw .system(error) }
                deadline.pause()
            }
        }
    }

    /// The problem of a connection that ended within a line, as the station ends one that takes
    /// nothing.
    package static let halfLine = "half a line before the end"

    /// What was wrong with the station's lines so far, at most 100 of it.
    package var problems: [String] { connection.withLock { $0.problems } }

    // MARK: Requests

    /// Sends a request and waits for its reply; events that come before it are kept.
    ///
    /// - Parameters:
    ///   - method: The method.
    ///   - parameters: A JSON object as text, or nil for none.
    ///   - limit: How long the reply may take.
    /// - Returns: The result or the error.
    /// - Throws: `Failure`.
    package func call(
        _ method: String, _ parameters: String? = nil, within limit: Duration = patience
    ) throws(Failure) -> Reply {
        try connection.withLock { lines throws(Failure) in
            try lines.call(method, parameters, until: Deadline(limit))
        }
    }

    /// Sends bytes as they are.
    ///
    /// - Throws: `Failure`, `timeout` where the station does not take them.
    package func send(_ bytes: [UInt8], within limit: Duration = patience) throws(Failure) {
        try connection.withLock { lines throws(Failure) in
            lines.forgetPosition()
            try lines.send(bytes, until: Deadline(limit))
        }
    }

    /// Sends a line, to which the LF is added.
    ///
    /// - Throws: `Failure`.
    package func send(line: String) throws(Failure) {
        try send(Array(line.utf8) + [UInt8(ascii: "\n")])
    }

    /// Says that nothing more is sent; what the station sends still comes.
    package func finishSending() {
        connection.withLock { $0.finishSending() }
    }

    /// Ends the connection in both directions.
    package func close() {
        connection.withLock { $0.close() }
    }

    // MARK: What comes

    /// The next message that no other call has taken.
    ///
    /// - Throws: `Failure`.
    package func nextMessage(within limit: Duration = patience) throws(Failure) -> Message {
        try first(within: limit) { $0 }
    }

    /// The next reply to a request that was sent by `send`.
    ///
    /// - Throws: `Failure`.
    package func nextReply(
        within limit: Duration = patience
    ) throws(Failure) -> (id: JSONValue, reply: Reply) {
        try first(within: limit) { message in
            guard case .reply(let id, let reply) = message else { return nil }
            return (id, reply)
        }
    }

    /// The next event.
    ///
    /// - Throws: `Failure`.
    package func nextEvent(within limit: Duration = patience) throws(Failure) -> JSONValue {
        try first(within: limit) { message in
            guard case .event(let event) = message else { return nil }
            return event
        }
    }

    /// The next event of a type; events of other types before it stay for later.
    ///
    /// - Throws: `Failure`.
    package func nextEvent(
        _ type: String, within limit: Duration = patience
    ) throws(Failure) -> JSONValue {
        try first(within: limit) { message in
            guard case .event(let event) = message, event["type"]?.string == type else {
                return nil
            }
            return event
        }
    }

    /// Waits until the station has closed the connection; messages that come meanwhile are kept.
    ///
    /// - Throws: `Failure.timeout` where it does not.
    package func waitUntilClosed(within limit: Duration = patience) throws(Failure) {
        try connection.withLock { lines throws(Failure) in
            try lines.readToTheEnd(until: Deadline(limit))
        }
    }

    private func first<Found: Sendable>(
        within limit: Duration, _ pick: (Message) -> Found?
    ) throws(Failure) -> Found {
        try connection.withLock { lines throws(Failure) in
            try lines.first(until: Deadline(limit), pick)
        }
    }
}
