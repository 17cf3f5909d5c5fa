extension ResolveAnswer {
    /// Reads a whole HTTP answer to `resolveIdentifier`, as the client does.
    ///
    /// - Parameters:
    ///   - status: The HTTP status.
    ///   - headers: The header lines as they came, without their line ends.
    ///   - body: The body, decompressed.
    /// - Returns: The answer, where it proves the delivery.
    /// - Throws: `APIFailure`, by the table of refusals.
    package static func read(
        status: Int, headers: [[UInt8]], body: [UInt8]
    ) throws(APIFailure) -> ResolveAnswer {
        var answer = HTTPAnswer(status: status, body: body)
        for header in headers { header.withUnsafeBytes { answer.fields.read($0) } }
        return ResolveAnswer(try PlingsClient.payload(of: ResolveIdentifier.self, in: answer))
    }
}
