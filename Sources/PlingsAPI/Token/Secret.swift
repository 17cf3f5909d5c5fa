/// A text that never shows itself: not in a description, a dump, a mirror or an interpolation.
package struct Secret: Sendable, Equatable {
    private let text: String

    package init(_ text: String) {
        self.text = text
    }

    /// What stands for it wherever it is shown.
    package static let mask = "•••"

    /// Lends the text to the one place that needs it.
    package func reveal<Result>(_ body: (String) throws -> Result) rethrows -> Result {
        try body(text)
    }

    /// Masks the secret where somebody else's text repeats it.
    ///
    /// Byte by byte: characters would hide it behind a combining mark.
    package func masked(in other: String) -> String {
        let secret = Array(text.utf8)
        let bytes = Array(other.utf8)
        guard !secret.isEmpty, bytes.count >= secret.count else { return other }
        var masked: [UInt8] = []
        var position = 0
        while position < bytes.count {
            if bytes[position...].starts(with: secret) {
                masked += Secret.mask.utf8
                position += secret.count
            } else {
                masked.append(bytes[position])
                position += 1
            }
        }
        return String(decoding: masked, as: UTF8.self)
    }
}

extension Secret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { Secret.mask }
    package var debugDescription: String { Secret.mask }
    package var customMirror: Mirror { Mirror(self, children: []) }
}
