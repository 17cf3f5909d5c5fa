internal import Glibc
package import LineProtocols
internal import Platform

/// A client's connection to a station: requests and their replies, and what comes unasked.
///
/// Blocking and for one thread. Greeting and replies are waited for 5 s; only `receive` waits
/// without bound. Notifications that come between a request and its reply are kept in their order.
package struct StationConnection: ~Copyable {
    /// How long the daemon may take for its hello and for each reply.
    package static let patience = Duration.seconds(5)
    /// The most bytes of notifications that are kept while a reply is waited for.
    static let keptLimit = 16 * LineChannel.lineLimit

    /// What the daemon said of itself.
    package let hello: Hello
    private let path: String
    private let patience: Duration
    private var channel: LineChannel
    private var kept: [StationNotification] = []
    private var keptBytes = 0
    private var keptTaken = 0
    private var lastRequest: Int64 = 0

    /// Connects and reads the hello.
    ///
    /// - Parameters:
    ///   - path: The socket.
    ///   - waiter: What may end a wait early.
    ///   - patience: How long the hello and each reply may take.
    /// - Throws: `ConnectionError`; `Waiter.Interruption`.
    package init(
        to path: String, waiter: Waiter = Waiter(), patience: Duration = Self.patience
    ) throws {
        let deadline = Deadline.after(patience)
        var channel = try Self.open(path, waiter, patience, deadline)
        let hello = try Self.greeting(&channel, path, patience, deadline)
        self.init(channel, hello, path, patience)
    }

    private init(
        _ channel: consuming LineChannel, _ hello: Hello, _ path: String, _ patience: Duration
    ) {
        self.channel = channel
        self.hello = hello
        self.path = path
        self.patience = patience
    }

    private static func open(
        _ path: String, _ waiter: Waiter, _ patience: Duration, _ deadline: UInt64
    ) throws -> LineChannel {
        do {
            let socket = try SocketConnecting.connect(to: path, waiter: waiter, until: deadline)
            return LineChannel(socket, waiter: waiter)
        } catch let error as SystemError {
            throw refusal(error, path, patience)
        }
    }

    private static func refusal(
        _ error: SystemError, _ path: String, _ patience: Duration
    ) -> ConnectionError {
        switch error.code {
        case ENOENT: .notRunning(path: path)
        // The kernel says the same of a file that is no socket.
        case ECONNREFUSED: isSocket(path) ? .notRunning(path: path) : .notASocket(path: path)
        case EACCES: .denied(SocketAccess(lookingAt: path))
        case EAGAIN: .silent(path: path, seconds: patience.components.seconds)
        default: .unreachable(error)
        }
    }

    private static func isSocket(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFSOCK
    }

    private static func greeting(
        _ channel: inout LineChannel, _ path: String, _ patience: Duration, _ deadline: UInt64
    ) throws -> Hello {
        do {
            guard let line = try channel.nextLine(until: deadline) else {
                throw ConnectionError.silent(path: path, seconds: patience.components.seconds)
            }
            return try Greeting.read(line, path)
        } catch let failure as LineChannel.Failure {
            throw Self.error(failure, path)
        }
    }

    private static func error(_ failure: LineChannel.Failure, _ path: String) -> ConnectionError {
        switch failure {
        case .closed: .closed(path: path)
        case .lineTooLong:
            .garbled(path: path, reason: "a line has more than \(LineChannel.lineLimit) bytes")
        case .system(let error): .unreachable(error)
        }
    }

    // MARK: Requests

    /// Sends a request and waits for its reply.
    ///
    /// - Parameters:
    ///   - method: The method's name.
    ///   - parameters: Encoded as its `params`.
    /// - Returns: The result as it was sent.
    /// - Throws: `RequestError` where the daemon refuses; `ConnectionError`;
    ///   `Waiter.Interruption`.
    package mutating func call(
        _ method: String, _ parameters: some Encodable
    ) throws -> [UInt8] {
        lastRequest += 1
        let line = try Request(id: lastRequest, method: method, params: parameters).line()
        let deadline = Deadline.after(patience)
        do {
            guard try channel.send(line, until: deadline) else { throw noReply(method) }
            return try reply(to: method, until: deadline)
        } catch let failure as LineChannel.Failure {
            throw Self.error(failure, path)
        }
    }

    private mutating func reply(to method: String, until deadline: UInt64) throws -> [UInt8] {
        while let line = try channel.nextLine(until: deadline) {
            switch try read(line) {
            case .result(.integer(lastRequest), let result): return result
            // Without an id it is about the line that could not be read: ours.
            case .refusal(nil, let error), .refusal(.integer(lastRequest), let error): throw error
            case .notification(let notification): try keep(notification, line.count)
            case .hello, .result, .refusal, .unknown: continue
            }
        }
        throw noReply(method)
    }

    private func noReply(_ method: String) -> ConnectionError {
        .noReply(method: method, seconds: patience.components.seconds)
    }

    private func read(_ line: [UInt8]) throws -> ServerLine {
        do {
            return try ServerLine.read(line)
        } catch let error as JSONLine.Malformed {
            throw ConnectionError.garbled(path: path, reason: error.description)
        } catch {
            throw ConnectionError.garbled(path: path, reason: "a line is not a JSON object")
        }
    }

    private mutating func keep(_ notification: StationNotification, _ size: Int) throws {
        keptBytes += size
        guard keptBytes <= Self.keptLimit else {
            throw ConnectionError.garbled(
                path: path, reason: "more than \(Self.keptLimit) bytes came in place of a reply")
        }
        kept.append(notification)
    }

    // MARK: Notifications

    /// The next notification that was received already, or nil where more must be received first.
    ///
    /// - Throws: `ConnectionError` where what was received is not the protocol.
    package mutating func received() throws -> StationNotification? {
        if let notification = takeKept() { return notification }
        do {
            while let line = try channel.receivedLine() {
                if case .notification(let notification) = try read(line) { return notification }
            }
            return nil
        } catch let failure as LineChannel.Failure {
            throw Self.error(failure, path)
        }
    }

    private mutating func takeKept() -> StationNotification? {
        guard keptTaken < kept.count else {
            kept = []
            keptTaken = 0
            keptBytes = 0
            return nil
        }
        keptTaken += 1
        return kept[keptTaken - 1]
    }

    /// Waits without bound until the daemon sends something; called when `received` gave nil.
    ///
    /// - Throws: `ConnectionError` where the connection ended; `Waiter.Interruption`.
    package mutating func receive() throws {
        do {
            _ = try channel.receive(until: nil)
        } catch let failure as LineChannel.Failure {
            throw Self.error(failure, path)
        }
    }

    private struct Request<Parameters: Encodable>: Encodable {
        let jsonrpc = "2.0"
        let id: Int64
        let method: String
        let params: Parameters

        /// The request with its LF.
        func line() throws -> [UInt8] {
            let line = try JSONLine.encode(self)
            // The daemon would close the connection over it.
            guard line.count <= LineSplitter.limit else { throw RequestError.lineTooLong }
            return line + [UInt8(ascii: "\n")]
        }
    }
}
