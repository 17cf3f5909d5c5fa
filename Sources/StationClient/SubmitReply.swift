internal import LineProtocols

/// What came of handing in a URL.
struct SubmitReply: Decodable {
    /// The scan's id.
    let scan: String
    /// Why it is no tag's URL; any word, for newer daemons have more.
    let unrecognised: String?

    /// Hands in the URL.
    ///
    /// - Throws: `NotAllowed`; what `StationConnection.call` throws.
    static func ask(
        _ connection: inout StationConnection, url: String, _ path: String
    ) throws -> SubmitReply {
        do {
            let reply = try connection.call("scan.submit", SubmitParameters(url: url))
            guard let result = try? JSONLine.decode(SubmitReply.self, from: reply) else {
                throw ConnectionError.garbled(
                    path: path, reason: "the reply to scan.submit is incomplete")
            }
            return result
        } catch let error as RequestError where error.reason == .notAllowed {
            throw NotAllowed(message: error.message)
        }
    }
}

/// The daemon will not take orders from this user.
struct NotAllowed: Error, CustomStringConvertible {
    let message: String

    var description: String {
        """
        \(message). Orders are for root, the station's own user and the control group: \
        `plings` unless control_group under [socket] names another. To become a member: \
        `sudo usermod -aG plings $USER`, then log in again.
        """
    }
}
