internal import LineProtocols

/// The members of a JSON object, each as the bytes that were sent.
///
/// Only where members begin and end is found here; whether the whole is JSON is the decoder's
/// business. Of members with one name the first counts.
struct RawMembers {
    private var values: [String: ArraySlice<UInt8>] = [:]

    /// Finds the members.
    ///
    /// - Returns: Nil where the bytes are no object.
    init?(_ bytes: [UInt8]) {
        var walk = Walk(bytes)
        guard walk.take("{") else { return nil }
        guard !walk.take("}") else { return }
        repeat {
            guard let name = walk.string(), let text = Self.text(of: bytes[name]),
                walk.take(":"), let value = walk.value()
            else { return nil }
            if values[text] == nil { values[text] = bytes[value] }
        } while walk.take(",")
        guard walk.take("}") else { return nil }
    }

    /// A member's value as it was sent, without the white space around it.
    subscript(name: String) -> [UInt8]? {
        values[name].map { Array($0) }
    }

    private static func text(of quoted: ArraySlice<UInt8>) -> String? {
        guard quoted.contains(UInt8(ascii: "\\")) else {
            return String(decoding: quoted.dropFirst().dropLast(), as: UTF8.self)
        }
        return try? JSONLine.decode(String.self, from: Array(quoted))
    }
}

/// The elements of a JSON array, each as the bytes that were sent.
struct RawElements {
    private(set) var values: [[UInt8]] = []

    /// Finds the elements.
    ///
    /// - Returns: Nil where the bytes are no array.
    init?(_ bytes: [UInt8]) {
        var walk = Walk(bytes)
        guard walk.take("[") else { return nil }
        guard !walk.take("]") else { return }
        repeat {
            guard let value = walk.value() else { return nil }
            values.append(Array(bytes[value]))
        } while walk.take(",")
        guard walk.take("]") else { return nil }
    }
}

/// A place in JSON text that moves forward from token to token.
private struct Walk {
    private let bytes: [UInt8]
    private var index = 0

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    private var current: UInt8? { index < bytes.count ? bytes[index] : nil }

    private mutating func skipSpace() {
        while let byte = current, Self.isSpace(byte) { index += 1 }
    }

    /// Passes the character where it comes next.
    mutating func take(_ character: Unicode.Scalar) -> Bool {
        skipSpace()
        guard current == UInt8(ascii: character) else { return false }
        index += 1
        return true
    }

    /// Passes a string; its range includes the quotes.
    mutating func string() -> Range<Int>? {
        skipSpace()
        let start = index
        guard take("\"") else { return nil }
        while let byte = current {
            index += byte == UInt8(ascii: "\\") ? 2 : 1
            if byte == UInt8(ascii: "\"") { return start..<index }
        }
        return nil
    }

    /// Passes a value of any kind.
    mutating func value() -> Range<Int>? {
        skipSpace()
        let start = index
        var depth = 0
        repeat {
            switch current {
            case nil: return nil
            case UInt8(ascii: "\""): guard string() != nil else { return nil }
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                depth += 1
                index += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                depth -= 1
                index += 1
            case UInt8(ascii: ","), UInt8(ascii: ":"): index += 1
            default: passWord()
            }
            if depth > 0 { skipSpace() }
        } while depth > 0
        return depth == 0 && index > start ? start..<index : nil
    }

    /// Passes a number, `true`, `false` or `null`.
    private mutating func passWord() {
        while let byte = current, !Self.isSpace(byte), !Self.isMark(byte) { index += 1 }
    }

    /// Source: RFC 8259, section 2.
    private static func isSpace(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D
    }

    private static func isMark(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "{"), UInt8(ascii: "}"), UInt8(ascii: "["), UInt8(ascii: "]"),
            UInt8(ascii: ","), UInt8(ascii: ":"), UInt8(ascii: "\""):
            true
        default: false
        }
    }
}
