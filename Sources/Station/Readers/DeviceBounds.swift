internal import LineProtocols

/// How much of what a reader program says of a device is kept.
///
/// All devices stand in one line of `status`, which has at most 1 MiB.
enum DeviceBounds {
    /// In bytes; a device with a longer id is left out.
    static let id = 256
    /// In Unicode scalars.
    static let name = 256
    static let reason = 1024
    static let signal = 32
    /// How many words for what it can show.
    static let signals = 16
}

extension ReaderMessage.Device {
    /// The same with texts of bounded length.
    var bounded: ReaderMessage.Device {
        var device = ReaderMessage.Device(
            id: id, name: name.cut(to: DeviceBounds.name), state: state,
            reason: reason?.cut(to: DeviceBounds.reason),
            signals: signals.map { words in
                words.prefix(DeviceBounds.signals).map { $0.cut(to: DeviceBounds.signal) }
            })
        device.interrupted = interrupted
        device.occupied = occupied
        return device
    }
}

extension String {
    fileprivate func cut(to count: Int) -> String {
        utf8.count <= count ? self : String(unicodeScalars.prefix(count))
    }
}
