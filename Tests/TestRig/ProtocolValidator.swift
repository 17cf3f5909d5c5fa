internal import LineProtocols
internal import Platform
internal import Synchronization

/// Checks lines against the schemas in docs/, by one Python program for the whole test process.
///
/// The program is sandbox/protocol/line_validator.py. It is run by /usr/bin/python3, which needs
/// Debian's python3-jsonschema, or by the interpreter that PLINGS_VALIDATOR_PYTHON names.
package final class ProtocolValidator: Sendable {
    /// The one of this process; started when it is first used.
    package static let shared = ProtocolValidator()

    /// What a line is meant to be.
    package enum Kind: Sendable, Hashable {
        /// Anything that the station sends.
        case server
        /// The station's reply to a method, where it has a result.
        case reply(String)
        /// A request.
        case client
        /// A line of a reader program.
        case reader
    }

    /// The program, or why there is none.
    private let program: Mutex<Result<Program, SystemError>>

    private convenience init() {
        let named = ProcessEnvironment.current["PLINGS_VALIDATOR_PYTHON"]
        self.init(interpreter: named ?? "/usr/bin/python3")
    }

    /// Starts a program of its own.
    ///
    /// - Parameter interpreter: The Python to run it with.
    package init(interpreter: String) {
        BrokenPipes.areErrors
        let script = Repository.path("sandbox/protocol/line_validator.py")
        do {
            program = Mutex(.success(try Program([interpreter, script])))
        } catch {
            program = Mutex(.failure(error))
        }
    }

    /// Checks one line, without its LF; blocks for about a millisecond.
    ///
    /// - Returns: What is wrong with it, or nil.
    package func check(_ line: [UInt8], as kind: Kind) -> String? {
        guard let text = String(validating: line, as: UTF8.self) else { return "not UTF-8" }
        let request = Request(kind, line: text)
        return program.withLock { program in
            do {
                let answer = try program.get().ask(request)
                return answer.ok ? nil : answer.error ?? "wrong"
            } catch {
                return "the line can't be checked: \(error)"
            }
        }
    }

    private struct Request: Encodable {
        let schema: String
        let method: String?
        let line: String

        init(_ kind: Kind, line: String) {
            self.line = line
            switch kind {
            case .server: (schema, method) = ("server", nil)
            case .reply(let name): (schema, method) = ("reply", name)
            case .client: (schema, method) = ("client", nil)
            case .reader: (schema, method) = ("reader", nil)
            }
        }
    }

    private struct Answer: Decodable {
        let ok: Bool
        let error: String?
    }

    /// Why there is no answer.
    private struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// The program while it runs.
    private final class Program {
        private let child: ChildProcess
        private var answers = LineSplitter()
        /// Why it gives no more answers, once it has ended.
        private var end: Failure?

        init(_ arguments: [String]) throws(SystemError) {
            child = try ChildProcess(arguments)
        }

        func ask(_ request: Request) throws -> Answer {
            if let end { throw end }
            try write(try JSONLine.encode(request) + [UInt8(ascii: "\n")])
            return try JSONLine.decode(Answer.self, from: try readLine())
        }

        private func write(_ bytes: [UInt8]) throws(Failure) {
            var rest = bytes[...]
            while !rest.isEmpty {
                guard let count = rest.withUnsafeBytes({ child.input.write($0) }) else {
                    throw lastWords()
                }
                rest = rest.dropFirst(count)
            }
        }

        private func readLine() throws(Failure) -> [UInt8] {
            var buffer = [UInt8](repeating: 0, count: 4096)
            while case .bytes(let count) = Self.read(child.output, into: &buffer) {
                if let line = answers.append(buffer[..<count]).first { return line }
            }
            throw lastWords()
        }

        /// What a program that has ended said of it.
        private func lastWords() -> Failure {
            var words: [UInt8] = []
            var buffer = [UInt8](repeating: 0, count: 4096)
            while case .bytes(let count) = Self.read(child.errors, into: &buffer) {
                words += buffer[..<count]
            }
            let failure = Failure(description: String(decoding: words, as: UTF8.self))
            end = failure
            return failure
        }

        private static func read(
            _ stream: borrowing Descriptor, into buffer: inout [UInt8]
        ) -> Descriptor.Read {
            buffer.withUnsafeMutableBytes { stream.read(into: $0) }
        }
    }
}
