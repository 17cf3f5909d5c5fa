internal import LineProtocols

/// An event as the daemon sent it.
package struct StationEvent: Sendable, Equatable {
    /// The event object, byte for byte.
    package let body: [UInt8]
    /// Its place in the log; nil while nothing can be stored.
    package let seq: Int64?

    package init(body: [UInt8], seq: Int64?) {
        self.body = body
        self.seq = seq
    }
}

/// What the daemon says without being asked.
package enum StationNotification: Sendable, Equatable {
    case event(StationEvent)
    /// The last words before it closes the connection, and why.
    case bye(reason: String)
}

/// One line of the daemon, read as far as its envelope.
enum ServerLine {
    /// The parameters of the greeting.
    case hello([UInt8])
    case notification(StationNotification)
    /// The raw result of a request.
    case result(RequestID, [UInt8])
    /// A refusal; without an id where the daemon could read none.
    case refusal(RequestID?, RequestError)
    /// Something newer than this program, to be passed over.
    case unknown

    /// Reads a line.
    ///
    /// - Throws: What `JSONLine.decode` throws, where the line is no JSON object.
    static func read(_ line: [UInt8]) throws -> ServerLine {
        let envelope = try JSONLine.decode(Envelope.self, from: line)
        if let error = envelope.error { return .refusal(envelope.id, error) }
        let members = RawMembers(line)
        if let method = envelope.method {
            return notification(method, envelope, members?["params"] ?? Array("{}".utf8))
        }
        guard let id = envelope.id, let result = members?["result"] else { return .unknown }
        return .result(id, result)
    }

    private static func notification(
        _ method: String, _ envelope: Envelope, _ parameters: [UInt8]
    ) -> ServerLine {
        switch method {
        case "hello": .hello(parameters)
        case "event": .notification(.event(.init(body: parameters, seq: envelope.seq)))
        case "bye": .notification(.bye(reason: envelope.reason ?? "no reason given"))
        default: .unknown
        }
    }

    /// The members that decide what a line is; any of another type counts as absent.
    private struct Envelope: Decodable {
        let id: RequestID?
        let method: String?
        let error: RequestError?
        let seq: Int64?
        let reason: String?

        private enum Key: String, CodingKey { case id, method, error, params }
        private enum ParameterKey: String, CodingKey { case seq, reason }

        init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: Key.self)
            id = try? members.decodeIfPresent(RequestID.self, forKey: .id)
            method = try? members.decodeIfPresent(String.self, forKey: .method)
            error = try? members.decodeIfPresent(RequestError.self, forKey: .error)
            let parameters = try? members.nestedContainer(
                keyedBy: ParameterKey.self, forKey: .params)
            seq = try? parameters?.decodeIfPresent(Int64.self, forKey: .seq)
            reason = try? parameters?.decodeIfPresent(String.self, forKey: .reason)
        }
    }
}
