internal import LineProtocols
internal import Scanning

/// Why nothing can be read at all, told as the state of a device of its own.
///
/// The device `pcsc` stands for the PC/SC service. It is only ever told as `disconnected`, with the
/// reason why this program has no reader to serve: pcscd is not reachable, no reader is connected,
/// none matches. As soon as a reader is served its own messages say so, and `pcsc` is silent until
/// there is none again. It is no reader: no tag ever arrives on it.
struct ServiceState {
    private static let deviceID = "pcsc"
    private static let deviceName = "PC/SC"

    private var told: String?

    /// The message that is due, now that this is why there is no reader (nil: there is one).
    mutating func message(_ reason: String?) -> ReaderMessage? {
        guard reason != told else { return nil }
        told = reason
        return reason.map { reason in
            .device(
                .init(
                    id: Self.deviceID, name: Self.deviceName, state: .disconnected, reason: reason))
        }
    }
}

extension PCSCReason {
    /// Why pcscd can't be used.
    ///
    /// - Parameters:
    ///   - error: What a call returned.
    ///   - refusals: How often in a row somebody listened and the connection was closed. A dying
    ///     pcscd does so as well as one whose polkit refuses us, so once is not enough.
    /// - Returns: The reason, or nil where it is not known yet.
    static func reason(for error: PCSCError, refusals: Int) -> String? {
        guard error.code.trouble.isAboutService else { return "\(error)" }
        if refusals == 0 { return notRunning }
        return refusals >= 3 ? refused : nil
    }
}
