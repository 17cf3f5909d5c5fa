internal import Glibc
package import Platform
internal import Synchronization

/// A web server on a loopback port that answers byte for byte as told, one step for each request.
///
/// Each connection has a thread of its own, so that a held one holds up no other. Requests take
/// the steps in the order in which they arrive; when the steps are used up, connections are closed.
package final class ScriptedHTTPServer: Sendable {
    /// What is done with one request.
    package enum Step: Sendable {
        /// Sends the bytes and waits for the next request on the connection.
        case answer([UInt8])
        /// Sends the bytes and closes the connection.
        case answerThenClose([UInt8])
        /// Sends the bytes and resets the connection (TCP RST).
        case answerThenReset([UInt8])
        /// Sends the bytes only when `release()` is called, or nothing where the client goes first.
        case hold([UInt8])
    }

    /// A request as it arrived.
    package struct Request: Sendable {
        /// Which connection it came on, counted from 0.
        package let connection: Int
        /// The request line and the headers, without the blank line.
        package let head: String
        package let body: [UInt8]

        /// The value of a header, by its name in lower case.
        package func header(_ name: String) -> String? {
            for line in head.split(separator: "\r\n").dropFirst() {
                let parts = line.split(separator: ":", maxSplits: 1)
                guard parts.count == 2, parts[0].lowercased() == name else { continue }
                return String(parts[1].drop { $0 == " " })
            }
            return nil
        }
    }

    package let port: UInt16
    private let listener: Descriptor
    private let gate: Gate
    private let book: Mutex<Book>

    private struct Book {
        var steps: [Step]
        var requests: [Request] = []
        var connections: [Int32] = []
        var departures = 0
        var stopped = false
        var waiters: [(isMet: @Sendable (Book) -> Bool, CheckedContinuation<Void, Never>)] = []
    }

    /// Starts listening on 127.0.0.1.
    ///
    /// - Throws: `SystemError`.
    package init(_ steps: [Step]) throws(SystemError) {
        listener = try Loopback.listen()
        port = try Loopback.port(of: listener)
        gate = try Gate()
        book = Mutex(Book(steps: steps))
        Threads.start(name: "scripted-http") { [self] in accept() }
    }

    /// Lets every held step go on, those to come included.
    package func release() {
        gate.open()
    }

    /// Ends listening and closes every connection.
    package func stop() {
        let connections = book.withLock { book in
            book.stopped = true
            return book.connections
        }
        shutdown(listener.number, Int32(SHUT_RDWR))
        for connection in connections { shutdown(connection, Int32(SHUT_RDWR)) }
        gate.open()
    }

    // MARK: What happened

    /// The requests so far.
    package var requests: [Request] { book.withLock(\.requests) }

    /// Waits until so many requests have arrived whole.
    package func waitForRequests(_ count: Int) async -> [Request] {
        await wait { $0.requests.count >= count }
        return requests
    }

    /// Waits until so many clients have gone away from a held request.
    package func waitForDepartures(_ count: Int) async {
        await wait { $0.departures >= count }
    }

    private func wait(_ isMet: @escaping @Sendable (Book) -> Bool) async {
        await withCheckedContinuation { continuation in
            let isMetAlready = book.withLock { book in
                if isMet(book) { return true }
                book.waiters.append((isMet, continuation))
                return false
            }
            if isMetAlready { continuation.resume() }
        }
    }

    private func note(_ change: (inout Book) -> Void) {
        let met = book.withLock { book in
            change(&book)
            let now = book
            let met = book.waiters.filter { $0.isMet(now) }.map(\.1)
            book.waiters.removeAll { $0.isMet(now) }
            return met
        }
        for continuation in met { continuation.resume() }
    }

    // MARK: Threads

    private func accept() {
        var count = 0
        while true {
            let number = Glibc.accept(listener.number, nil, nil)
            guard number >= 0 else { return }
            let index = count
            count += 1
            Threads.start(name: "scripted-conn") { [self] in serve(number, index) }
        }
    }

    private func serve(_ number: Int32, _ index: Int) {
        let isWanted = book.withLock { book in
            if !book.stopped { book.connections.append(number) }
            return !book.stopped
        }
        // Taken off the list before it is closed, so that `stop` never reaches a reused number.
        defer {
            book.withLock { $0.connections.removeAll { $0 == number } }
            close(number)
        }
        guard isWanted else { return }
        var stream = ByteStream(number)
        while let request = stream.request(on: index) {
            guard let step = take(request), perform(step, number) else { return }
        }
    }

    private func take(_ request: Request) -> Step? {
        var step: Step?
        note { book in
            book.requests.append(request)
            step = book.steps.isEmpty ? nil : book.steps.removeFirst()
        }
        return step
    }

    /// Carries out a step; false where the connection ends with it.
    private func perform(_ step: Step, _ number: Int32) -> Bool {
        switch step {
        case .answer(let bytes): return Loopback.send(bytes, number)
        case .answerThenClose(let bytes):
            _ = Loopback.send(bytes, number)
            return false
        case .answerThenReset(let bytes):
            _ = Loopback.send(bytes, number)
            Loopback.resetOnClose(number)
            return false
        case .hold(let bytes):
            guard gate.wait(orClosed: number) else {
                note { $0.departures += 1 }
                return false
            }
            return Loopback.send(bytes, number)
        }
    }
}
