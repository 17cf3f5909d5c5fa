internal import LineProtocols

/// The last line to a client that the station closes: why, and from where it can resume.
struct Farewell: Encodable {
    /// Why a connection is closed.
    enum Reason: String, Encodable {
        /// The client took nothing for too long.
        case stuck
        /// What the client has not read yet is no longer in the log.
        case gap
    }

    private struct Parameters: Encodable {
        let reason: Reason
        let last: Int64
    }

    private let jsonrpc = "2.0"
    private let method = "bye"
    private let params: Parameters

    /// Makes a farewell.
    ///
    /// - Parameters:
    ///   - reason: Why.
    ///   - last: The last seq that the client has been handed when it reads this.
    init(_ reason: Reason, last: Int64) {
        params = Parameters(reason: reason, last: last)
    }

    /// The line with its LF.
    var line: [UInt8] {
        do {
            return try JSONLine.encode(self) + [UInt8(ascii: "\n")]
        } catch {
            preconditionFailure("words and whole numbers have a JSON form: \(error)")
        }
    }
}
