internal import FoundationEssentials
internal import Scanning

/// Reads JSON that strangers wrote, whole or not at all.
///
/// The decoder of FoundationEssentials ends the process where a member's name has a broken escape
/// or is no UTF-8 (seen with Swift 6.0.3), so nothing reaches it unchecked. Texts that are only
/// broken inside, by a cut character or half a surrogate pair, are mended: the rest counts.
enum TolerantJSON {
    /// Deeper than any answer, and shallow enough for the stack of any thread.
    private static let depthLimit = 256

    /// Reads a value.
    ///
    /// - Parameters:
    ///   - type: What it is read as.
    ///   - bytes: The text.
    /// - Returns: The value; nil where the text is no JSON, is nested too deeply, or is of another
    ///   shape.
    static func decode<Value: Decodable>(_ type: Value.Type, from bytes: [UInt8]) -> Value? {
        let text = withoutLoneSurrogates(mended(bytes))
        do {
            try JSONSyntax.check(text, depthLimit: depthLimit)
            return try JSONDecoder().decode(type, from: Data(text))
        } catch {
            return nil
        }
    }

    private static func mended(_ bytes: [UInt8]) -> [UInt8] {
        guard String(validating: bytes, as: UTF8.self) == nil else { return bytes }
        return Array(String(decoding: bytes, as: UTF8.self).utf8)
    }

    /// Puts U+FFFD in place of each escaped half of a surrogate pair that has no other half.
    private static func withoutLoneSurrogates(_ text: [UInt8]) -> [UInt8] {
        var text = text
        var index = 0
        while index < text.count {
            guard text[index] == UInt8(ascii: "\\") else {
                index += 1
                continue
            }
            guard let unit = codeUnit(in: text, at: index) else {
                index += 2
                continue
            }
            if case 0xD800..<0xDC00 = unit, let low = codeUnit(in: text, at: index + 6),
                case 0xDC00..<0xE000 = low
            {
                index += 12
                continue
            }
            if case 0xD800..<0xE000 = unit {
                text.replaceSubrange(index..<(index + 6), with: Array("\\ufffd".utf8))
            }
            index += 6
        }
        return text
    }

    /// The code unit of an escape `\uXXXX` that begins there.
    private static func codeUnit(in text: [UInt8], at index: Int) -> UInt32? {
        guard index + 6 <= text.count, text[index] == UInt8(ascii: "\\"),
            text[index + 1] == UInt8(ascii: "u")
        else { return nil }
        return UInt32(String(decoding: text[(index + 2)..<(index + 6)], as: UTF8.self), radix: 16)
    }
}
