internal import LineProtocols
package import Platform

/// Why there is no connection to a station, or no longer one.
package enum ConnectionError: Error, Equatable, Sendable {
    /// None of the sockets that were looked for exists.
    case noSocket(paths: [String])
    /// Nobody listens there.
    case notRunning(path: String)
    case notASocket(path: String)
    case denied(SocketAccess)
    case unreachable(SystemError)
    /// No hello came, or the daemon takes no connections, for so many seconds.
    case silent(path: String, seconds: Int64)
    /// Something that is not plingsd answers.
    case stranger(path: String, reason: String)
    /// The daemon speaks a later major version of the protocol.
    case newerProtocol(path: String, major: Int)
    /// The daemon refuses the connection and says why.
    case turnedAway(String)
    case closed(path: String)
    /// The daemon said why it closes the connection.
    case bye(reason: String)
    case noReply(method: String, seconds: Int64)
    /// What came is not the station protocol.
    case garbled(path: String, reason: String)

    /// Whether a connection that stood was lost in a way that a new one mends.
    var isLoss: Bool {
        switch self {
        case .closed, .bye: true
        default: false
        }
    }

    /// Whether the daemon said that it closes the connection.
    var isBye: Bool {
        if case .bye = self { true } else { false }
    }

    /// Whether a station that is just starting may answer like this.
    var mayPass: Bool {
        switch self {
        case .noSocket, .notRunning, .silent, .turnedAway, .closed, .bye, .noReply: true
        // The socket file belongs to its group only a moment after it was made.
        case .denied: true
        case .notASocket, .unreachable, .stranger, .newerProtocol, .garbled: false
        }
    }
}

extension ConnectionError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .noSocket(let paths):
            "no station is running: there is no socket at \(Self.list(paths)). \(Self.howToStart)"
        case .notRunning(let path): "nobody listens at \(path). \(Self.howToStart)"
        case .notASocket(let path): "\(path) is not a socket"
        case .denied(let access): access.advice
        case .unreachable(let error): "can't connect: \(error)"
        case .silent(let path, let seconds):
            "what listens at \(path) does not answer: no hello within \(seconds) s"
        case .stranger(let path, let reason):
            "what listens at \(path) is not plingsd: \(reason)"
        case .newerProtocol(let path, let major):
            """
            plingsd at \(path) speaks version \(major) of the station protocol; this plingsctl \
            knows version \(Hello.Version.current.major). Update plingsctl.
            """
        case .turnedAway(let message): "plingsd refuses the connection: \(message)"
        case .closed(let path): "plingsd closed the connection at \(path)"
        case .bye(let reason): "plingsd closed the connection: \(reason)"
        case .noReply(let method, let seconds):
            "plingsd did not answer \(method) within \(seconds) s"
        case .garbled(let path, let reason):
            "what comes from \(path) is not the station protocol: \(reason)"
        }
    }

    private static let howToStart =
        "Start the station with `systemctl start plingsd`, or with `plingsd` from the build folder."

    private static func list(_ paths: [String]) -> String {
        guard let last = paths.last, paths.count > 1 else { return paths.first ?? "any place" }
        return paths.dropLast().joined(separator: ", ") + " or \(last)"
    }
}
