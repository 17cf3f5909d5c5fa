internal import Glibc
internal import LineProtocols
internal import Platform

/// The lines of one connection to the station's socket: read, checked and kept until asked for.
struct ClientLines: ~Copyable {
    typealias Failure = ProtocolClient.Failure
    typealias Message = ProtocolClient.Message

    /// The most bytes that a line of the station may have.
    private static let lineLimit = 1_048_576
    private static let problemLimit = 100

    private let socket: Descriptor
    private let checksLines: Bool
    private var splitter = LineSplitter(limit: lineLimit)
    /// Lines that have arrived and were not looked at.
    private var unread: [[UInt8]] = []
    /// Messages that nobody has taken.
    private var kept: [Message] = []
    private var lastID: Int64 = 0
    private var order: EventOrder?
    private(set) var problems: [String] = []

    /// Takes over a connected socket that does not block.
    init(socket: consuming Descriptor, checksLines: Bool) {
        self.socket = socket
        self.checksLines = checksLines
    }

    // MARK: Sending

    mutating func call(
        _ method: String, _ parameters: String?, until deadline: Deadline
    ) throws(Failure) -> ProtocolClient.Reply {
        lastID += 1
        let id = JSONValue.integer(lastID)
        let member = parameters.map { ",\"params\":\($0)" } ?? ""
        let line = "{\"jsonrpc\":\"2.0\",\"id\":\(lastID),\"method\":\"\(method)\"\(member)}\n"
        try send(Array(line.utf8), until: deadline)
        while true {
            let line = try nextLine(until: deadline)
            let message = read(line)
            guard case .reply(id, let reply) = message else {
                kept.append(message)
                continue
            }
            if reply.result != nil { check(line, as: .reply(method)) }
            if method == "subscribe" { subscribed(reply, parameters) }
            return reply
        }
    }

    private mutating func subscribed(_ reply: ProtocolClient.Reply, _ parameters: String?) {
        guard let from = reply["from"]?.integer else { return }
        let asked = try? JSONValue(parsing: parameters ?? "{}")
        let lists = [asked?["types"], asked?["readers"]]
        let isFiltered = lists.contains { $0?.array?.isEmpty == false }
        order = EventOrder(after: from, isFiltered: isFiltered)
    }

    /// Whatever is subscribed to from now on, it is not known where it begins.
    mutating func forgetPosition() {
        order = nil
    }

    func send(_ bytes: [UInt8], until deadline: Deadline) throws(Failure) {
        var rest = bytes[...]
        while !rest.isEmpty {
            guard let count = rest.withUnsafeBytes({ socket.write($0) }) else {
                if errno == EPIPE || errno == ECONNRESET { throw .closed }
                throw .system(SystemError("write"))
            }
            rest = rest.dropFirst(count)
            if count == 0, !deadline.wait(for: socket.number, POLLOUT) {
                throw .timeout("the station did not take what was sent")
            }
        }
    }

    func finishSending() {
        UnixSocket.finishSending(socket)
    }

    func close() {
        UnixSocket.shutDown(socket)
    }

    // MARK: Receiving

    /// The first message that is picked; those before it stay.
    mutating func first<Found: Sendable>(
        until deadline: Deadline, _ pick: (Message) -> Found?
    ) throws(Failure) -> Found {
        for (index, message) in kept.enumerated() {
            guard let found = pick(message) else { continue }
            kept.remove(at: index)
            return found
        }
        while true {
            let message = try next(until: deadline)
            if let found = pick(message) { return found }
            kept.append(message)
        }
    }

    /// The message of the next line.
    mutating func next(until deadline: Deadline) throws(Failure) -> Message {
        read(try nextLine(until: deadline))
    }

    mutating func readToTheEnd(until deadline: Deadline) throws(Failure) {
        do {
            while true { kept.append(try next(until: deadline)) }
        } catch Failure.closed {
            return
        }
    }

    private mutating func nextLine(until deadline: Deadline) throws(Failure) -> [UInt8] {
        while unread.isEmpty { try receive(until: deadline) }
        return unread.removeFirst()
    }

    private mutating func receive(until deadline: Deadline) throws(Failure) {
        guard deadline.wait(for: socket.number, POLLIN) else {
            throw .timeout("nothing came from the station")
        }
        var buffer = [UInt8](repeating: 0, count: 65_536)
        switch buffer.withUnsafeMutableBytes({ socket.read(into: $0) }) {
        case .bytes(let count): unread = splitter.append(buffer[..<count])
        case .wouldBlock: break
        case .end, .failed(ECONNRESET):
            if splitter.pendingBytes > 0 { note(ProtocolClient.halfLine) }
            throw .closed
        case .failed(let code): throw .system(SystemError("read", "", code: code))
        }
        if splitter.overflowed { note("a line of more than \(Self.lineLimit) bytes") }
    }

    // MARK: Looking at what came

    private mutating func read(_ line: [UInt8]) -> Message {
        check(line, as: .server)
        let text = String(decoding: line, as: UTF8.self)
        guard let value = try? JSONValue(parsing: text), let message = Self.message(value) else {
            note("no message: \(text.prefix(200))")
            return .unknown(text)
        }
        if case .event(let event) = message, let problem = order?.problem(with: event) {
            note(problem)
        }
        return message
    }

    private static func message(_ line: JSONValue) -> Message? {
        switch line["method"]?.string {
        case "hello": return line["params"].map(Message.hello)
        case "event": return line["params"].map(Message.event)
        case "bye": return line["params"].map(Message.bye)
        case .some: return nil
        case nil: break
        }
        guard let id = line["id"], line["result"] != nil || line["error"] != nil else {
            return nil
        }
        let reply = ProtocolClient.Reply(result: line["result"], error: line["error"])
        return .reply(id: id, reply)
    }

    private mutating func check(_ line: [UInt8], as kind: ProtocolValidator.Kind) {
        guard checksLines, let problem = ProtocolValidator.shared.check(line, as: kind) else {
            return
        }
        note("\(problem) in \(String(decoding: line.prefix(300), as: UTF8.self))")
    }

    private mutating func note(_ problem: String) {
        if problems.count < Self.problemLimit { problems.append(problem) }
    }
}

/// Whether the events of one subscription come in order, once each, and all of them.
struct EventOrder {
    private var last: Int64
    private let isFiltered: Bool
    /// Events that could not be stored have gone by: they are stored later, and not sent again.
    private var someAreStoredLater = false

    init(after seq: Int64, isFiltered: Bool) {
        last = seq
        self.isFiltered = isFiltered
    }

    /// What is wrong with the place of the next event.
    mutating func problem(with event: JSONValue) -> String? {
        guard let seq = event["seq"]?.integer else {
            someAreStoredLater = true
            return nil
        }
        defer {
            last = max(last, seq)
            someAreStoredLater = false
        }
        if seq <= last { return "seq \(seq) came after \(last)" }
        guard seq > last + 1, !isFiltered, !someAreStoredLater else { return nil }
        return "seq \(seq) came after \(last): there is a hole"
    }
}
