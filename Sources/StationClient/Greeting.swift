internal import LineProtocols

/// Reading the first line of a connection.
enum Greeting {
    /// Takes the line as plingsd's hello, or says what is wrong with it.
    ///
    /// - Throws: `ConnectionError`.
    static func read(_ line: [UInt8], _ path: String) throws -> Hello {
        switch try? ServerLine.read(line) {
        case .hello(let parameters): return try hello(parameters, path)
        case .refusal(_, let error): throw ConnectionError.turnedAway(error.message)
        default:
            throw ConnectionError.stranger(path: path, reason: "its first line is no hello")
        }
    }

    private static func hello(_ parameters: [UInt8], _ path: String) throws -> Hello {
        // The version first: a later major one may change everything else.
        guard let outline = try? JSONLine.decode(Outline.self, from: parameters),
            outline.daemon == "plingsd"
        else {
            throw ConnectionError.stranger(path: path, reason: "its hello is another program's")
        }
        guard outline.protocol.major <= Hello.Version.current.major else {
            throw ConnectionError.newerProtocol(path: path, major: outline.protocol.major)
        }
        guard let hello = try? JSONLine.decode(Hello.self, from: parameters) else {
            throw ConnectionError.stranger(path: path, reason: "its hello is incomplete")
        }
        return hello
    }

    private struct Outline: Decodable {
        let `protocol`: Version
        let daemon: String

        struct Version: Decodable {
            let major: Int
        }
    }
}
