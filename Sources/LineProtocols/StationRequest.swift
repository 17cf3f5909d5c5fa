/// The id of a request: whatever the client chose, given back with the reply.
package enum RequestID: Sendable, Hashable, Codable {
    case text(String)
    case integer(Int64)
    /// An integer beyond the signed range that still has 64 bits.
    case unsigned(UInt64)

    package init(from decoder: any Decoder) throws {
        let value = try decoder.singleValueContainer()
        if let text = try? value.decode(String.self) {
            self = .text(text)
        } else if let integer = try? value.decode(Int64.self) {
            self = .integer(integer)
        } else {
            self = .unsigned(try value.decode(UInt64.self))
        }
    }

    package func encode(to encoder: any Encoder) throws {
        var value = encoder.singleValueContainer()
        switch self {
        case .text(let text): try value.encode(text)
        case .integer(let integer): try value.encode(integer)
        case .unsigned(let integer): try value.encode(integer)
        }
    }
}

/// One line of a client, read as far as its envelope.
///
/// Source: JSON-RPC 2.0 Specification, sections 4 and 5.
package struct StationRequest: Sendable {
    package let id: RequestID
    package let method: String
    private let line: [UInt8]

    /// The methods that change nothing but what their client is told.
    private static let questions: Set<String> = [
        "status", "metrics", "outbox.list", "outbox.get", "subscribe", "unsubscribe",
    ]

    /// Whether it changes nothing, so that it is of no use to a client that has gone.
    package var isQuestion: Bool { Self.questions.contains(method) }

    /// What a line turned out to be.
    package enum Reading: Sendable {
        case request(StationRequest)
        /// A message that wants no answer; clients' notifications are ignored.
        case notification
        case refused(RequestError, id: RequestID?)
    }

    /// Reads the envelope of one line.
    package static func read(_ line: [UInt8]) -> Reading {
        let envelope: Envelope
        do {
            envelope = try JSONLine.decode(Envelope.self, from: line)
        } catch let error as JSONLine.Malformed {
            return .refused(.parse(error.description), id: nil)
        } catch {
            return .refused(.invalidRequest("not a request object"), id: nil)
        }
        return envelope.reading(of: line)
    }

    /// Reads the parameters that the method takes.
    ///
    /// - Throws: `RequestError.invalidParameters` naming the member.
    package func parameters<Parameters: Decodable>(
        _ type: Parameters.Type
    ) throws(RequestError) -> Parameters {
        do {
            // A method may be called without the member; what it then misses is named alike.
            return try JSONLine.decode(Body<Parameters>.self, from: line).params
                ?? JSONLine.decode(Filled<Parameters>.self, from: Array("{\"params\":{}}".utf8))
                .params
        } catch let error as DecodingError {
            throw .invalidParameters(error)
        } catch {
            throw .invalidRequest("not a request object")
        }
    }

    private struct Body<Parameters: Decodable>: Decodable {
        let params: Parameters?
    }

    private struct Filled<Parameters: Decodable>: Decodable {
        let params: Parameters
    }

    private struct Envelope: Decodable {
        var id: RequestID?
        var idIsReadable = true
        var method: String?
        var isVersion2 = true
        var parametersAreObject = true

        private enum Key: String, CodingKey { case jsonrpc, id, method, params }

        init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: Key.self)
            if members.contains(.id) {
                id = try? members.decode(RequestID.self, forKey: .id)
                idIsReadable = id != nil
            }
            method = try? members.decode(String.self, forKey: .method)
            if members.contains(.jsonrpc) {
                isVersion2 = (try? members.decode(String.self, forKey: .jsonrpc)) == "2.0"
            }
            if members.contains(.params) {
                parametersAreObject =
                    (try? members.nestedContainer(keyedBy: Key.self, forKey: .params)) != nil
            }
        }

        func reading(of line: [UInt8]) -> Reading {
            guard idIsReadable else {
                let text = "\"id\" must be a string or an integer of at most 64 bits"
                return .refused(.invalidRequest(text), id: nil)
            }
            guard let method else {
                return .refused(.invalidRequest("\"method\" must be a string"), id: id)
            }
            guard let id else { return .notification }
            guard isVersion2 else {
                return .refused(.invalidRequest("\"jsonrpc\" must be \"2.0\""), id: id)
            }
            guard parametersAreObject else {
                let error = RequestError(
                    code: .invalidParameters, message: "\"params\" must be an object",
                    path: "params")
                return .refused(error, id: id)
            }
            return .request(StationRequest(id: id, method: method, line: line))
        }
    }
}
