/// An error as a reply carries it: a number, a sentence, and where or why.
package struct RequestError: Error, Sendable, Hashable, CustomStringConvertible {
    package let code: Code
    package let message: String
    /// The member that is wrong, dotted from the parameters: `images[1]`.
    package let path: String?
    /// The stable word of one of the station's own errors.
    package let reason: Reason?

    /// The numbers of errors.
    ///
    /// Source: JSON-RPC 2.0 Specification, section 5.1.
    package enum Code: Int, Sendable, Codable {
        case parse = -32700
        case invalidRequest = -32600
        case unknownMethod = -32601
        case invalidParameters = -32602
        case station = -32000
    }

    /// The stable words of the station's own errors.
    package enum Reason: String, Sendable, Codable {
        case notAllowed, busy, full, notConfigured, notFound, superseded
        /// The auth server's answer to a login: no, and none at all.
        case refused, unreachable
    }

    package init(code: Code, message: String, path: String? = nil, reason: Reason? = nil) {
        self.code = code
        self.message = message
        self.path = path
        self.reason = reason
    }

    package var description: String { message }

    static func parse(_ message: String) -> RequestError {
        RequestError(code: .parse, message: message)
    }

    static func invalidRequest(_ message: String) -> RequestError {
        RequestError(code: .invalidRequest, message: message)
    }

    /// A line longer than the limit: what follows it can't be trusted to begin a new one.
    package static let lineTooLong = RequestError.invalidRequest(
        "a line may have at most \(LineSplitter.limit) bytes")

    /// A method that this version does not have.
    package static func unknownMethod(_ name: String) -> RequestError {
        RequestError(code: .unknownMethod, message: "there is no method \(name.prefix(64))")
    }

    /// A parameter that is missing or wrong.
    package static func invalidParameter(_ path: String, _ message: String) -> RequestError {
        RequestError(code: .invalidParameters, message: "\(path): \(message)", path: path)
    }

    /// One of the station's own errors.
    package static func station(_ reason: Reason, _ message: String) -> RequestError {
        RequestError(code: .station, message: message, reason: reason)
    }

    static func invalidParameters(_ error: DecodingError) -> RequestError {
        let fault = MemberFault(error, below: 1)
        return .invalidParameter(fault.path.isEmpty ? "params" : fault.path, fault.sentence)
    }
}

extension RequestError: Encodable {
    private enum Key: String, CodingKey { case code, message, data }
    private enum DataKey: String, CodingKey { case path, reason }

    package func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: Key.self)
        try members.encode(code, forKey: .code)
        try members.encode(message, forKey: .message)
        guard path != nil || reason != nil else { return }
        var data = members.nestedContainer(keyedBy: DataKey.self, forKey: .data)
        try data.encodeIfPresent(path, forKey: .path)
        try data.encodeIfPresent(reason, forKey: .reason)
    }
}

extension RequestError: Decodable {
    package init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: Key.self)
        code = (try? members.decode(Code.self, forKey: .code)) ?? .station
        message = try members.decode(String.self, forKey: .message)
        let data = try? members.nestedContainer(keyedBy: DataKey.self, forKey: .data)
        path = try data?.decodeIfPresent(String.self, forKey: .path)
        reason = try? data?.decodeIfPresent(Reason.self, forKey: .reason)
    }
}
