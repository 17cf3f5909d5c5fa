internal import LineProtocols

/// What came of asking the station at its socket; the program that has a connection makes it.
package enum StationLook: Sendable, Equatable {
    case answers(StationReport, socket: String)
    /// None of these sockets is there.
    case noSocket(paths: [String])
    /// A socket is there, and nobody listens.
    case nobody(socket: String)
    /// The kernel does not let us connect.
    case denied(socket: String, SocketFile?)
    /// Somebody listens and says nothing.
    case silent(socket: String)
    /// Whatever else was wrong, in a sentence.
    case failed(socket: String, reason: String)

    /// Whose a socket is that we may not connect to.
    package struct SocketFile: Sendable, Equatable {
        package let owner: String
        package let group: String
        package let groupID: UInt32
        /// The permission bits.
        package let mode: UInt32

        package init(owner: String, group: String, groupID: UInt32, mode: UInt32) {
            self.owner = owner
            self.group = group
            self.groupID = groupID
            self.mode = mode
        }
    }
}

/// What of the reply to `status` counts here; all of it may be missing in another version.
package struct StationReport: Sendable, Equatable, Decodable {
    package var version: String?
    package var station: String?
    package var account: String?
    package var readers: [Reader]?
    package var api: API?
    package var outbox: Outbox?

    package struct Reader: Sendable, Equatable, Decodable {
        package var name: String?
        package var kind: String?
        package var state: String?
        package var reason: String?
    }

    package struct API: Sendable, Equatable, Decodable {
        package var state: String?
        package var reason: String?
        package var endpoint: String?
    }

    package struct Outbox: Sendable, Equatable, Decodable {
        package var attention: Int64?
    }

    package init() {}

    /// Reads the reply's result.
    ///
    /// - Throws: Where it is no JSON of that shape.
    package init(_ reply: [UInt8]) throws {
        self = try JSONLine.decode(StationReport.self, from: reply)
    }
}
