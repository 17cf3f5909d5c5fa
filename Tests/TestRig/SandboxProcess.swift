internal import FoundationEssentials
internal import Glibc
internal import Platform

/// The development API as a process.
package final class SandboxProcess: Sendable {
    package let folder: TestFolder
    package let port: Int
    package let controlPort: Int
    private let program: RunningProgram

    /// The GraphQL endpoint.
    package var endpoint: String { "http://127.0.0.1:\(port)/graphql" }

    /// Starts the sandbox and waits until it listens.
    package init(in folder: TestFolder = TestFolder(), options: [String] = []) {
        self.folder = folder
        let arguments =
            [Repository.path("sandbox/api/serve"), "--port", "0", "--control-port", "0"]
            + ["--state", "\(folder.path)/api.state"] + options
        program = RunningProgram(arguments)
        let program = program
        let isUp = Poll.until(seconds: 60) {
            program.output.contains("control on") || program.wait(seconds: 0) != nil
        }
        guard isUp, let port = Self.port(after: "listening on ", in: program.output),
            let controlPort = Self.port(after: "control on ", in: program.output)
        else { fatalError("the sandbox did not come up: \(program.output) \(program.errors)") }
        self.port = port
        self.controlPort = controlPort
    }

    deinit {
        program.kill()
    }

    private static func port(after words: String, in output: String) -> Int? {
        for line in output.split(separator: "\n") where line.hasPrefix(words) {
            return line.split(separator: ":").last.flatMap { Int($0) }
        }
        return nil
    }

    /// Asks a control route.
    ///
    /// - Returns: The answer's JSON text.
    @discardableResult
    package func control(_ route: String, _ body: String? = nil, method: String? = nil) -> String {
        let method = method ?? (body == nil ? "GET" : "POST")
        return LoopbackHTTP.request(
            port: controlPort, method: method, path: "/_control/\(route)", body: body ?? "")
    }

    /// The URL on a tag of the seeded data.
    package func url(of fixture: String) -> String {
        struct Fixture: Decodable {
            let nfc: String?
        }
        let text = control("fixtures")
        let fixtures = try? JSONDecoder().decode([String: Fixture].self, from: Data(text.utf8))
        guard let url = fixtures?[fixture]?.nfc else { fatalError("no fixture \(fixture)") }
        return url
    }

    /// The scan events that the API has written, in the order of arrival.
    package func scanEvents() -> [ScanRecord] {
        struct Answer: Decodable {
            let scanEvents: [ScanRecord]
        }
        let text = control("scan_events?limit=100000")
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        guard let answer = try? decoder.decode(Answer.self, from: Data(text.utf8)) else {
            fatalError("no scan events: \(text.prefix(200))")
        }
        return answer.scanEvents
    }

    /// What the API keeps of one scan.
    package struct ScanRecord: Decodable, Sendable, Hashable {
        package let identifier: String
        package let timestamp: String
        package let idempotencyKey: String?
        /// When it came, CLOCK_BOOTTIME in nanoseconds.
        package let receivedBootNs: UInt64
        package let geo: Bool
        package let latitude: Double?
        package let longitude: Double?
    }
}

/// One HTTP request to this machine at a time, for control routes.
enum LoopbackHTTP {
    static func request(port: Int, method: String, path: String, body: String) -> String {
        let socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(socket) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let connected = withUnsafePointer(to: address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard connected == 0 else { fatalError("\(SystemError("connect", "port \(port)"))") }
        let head =
            "\(method) \(path) HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n"
            + "Content-Type: application/json\r\nContent-Length: \(body.utf8.count)\r\n\r\n"
        let request = Array((head + body).utf8)
        _ = request.withUnsafeBytes { send(socket, $0.baseAddress, $0.count, 0) }
        return self.body(of: readAll(socket))
    }

    private static func readAll(_ socket: Int32) -> [UInt8] {
        var answer: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = read(socket, &buffer, buffer.count)
            guard count > 0 else { return answer }
            answer += buffer[..<count]
        }
    }

    private static func body(of answer: [UInt8]) -> String {
        let text = String(decoding: answer, as: UTF8.self)
        // Characters, not bytes, would take CR LF for one: the scalars are searched.
        let scalars = Array(text.unicodeScalars)
        let end = Array("\r\n\r\n".unicodeScalars)
        for index in scalars.indices where scalars[index...].starts(with: end) {
            return String(String.UnicodeScalarView(scalars[(index + 4)...]))
        }
        return ""
    }
}
