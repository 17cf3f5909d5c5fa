/// The grammar of JSON, taken to the letter.
///
/// `JSONDecoder` looks at a member only when it is asked for and forgives a trailing comma, raw
/// control characters and a byte order mark. What one program forgives another does not, so a
/// text is checked whole before anything is read from it.
/// Source: RFC 8259, sections 2 to 7; RFC 7493, section 2.1 (no lone surrogates).
package struct JSONSyntax {
    /// Why a text is no JSON, or not to be read as it.
    package enum Fault: Error, Sendable {
        case notJSON, tooDeep
    }

    private let text: [UInt8]
    private let depthLimit: Int
    private var position = 0
    private var depth = 0

    private init(_ text: [UInt8], _ depthLimit: Int) {
        self.text = text
        self.depthLimit = depthLimit
    }

    /// Checks that the text is one JSON value and nothing else.
    ///
    /// - Parameters:
    ///   - text: UTF-8.
    ///   - depthLimit: The deepest nesting of arrays and objects that is taken.
    /// - Throws: `notJSON` or `tooDeep`.
    package static func check(_ text: [UInt8], depthLimit: Int) throws(Fault) {
        var syntax = JSONSyntax(text, depthLimit)
        try syntax.value()
        guard syntax.position == text.count else { throw .notJSON }
    }

    private mutating func value() throws(Fault) {
        skipSpace()
        switch peek {
        case UInt8(ascii: "{"): try object()
        case UInt8(ascii: "["): try array()
        case UInt8(ascii: "\""): try string()
        case UInt8(ascii: "t"): try word("true")
        case UInt8(ascii: "f"): try word("false")
        case UInt8(ascii: "n"): try word("null")
        default: try number()
        }
        skipSpace()
    }

    private mutating func object() throws(Fault) {
        try open()
        if !take("}") {
            repeat {
                skipSpace()
                try string()
                skipSpace()
                try expect(":")
                try value()
            } while take(",")
            try expect("}")
        }
        depth -= 1
    }

    private mutating func array() throws(Fault) {
        try open()
        if !take("]") {
            repeat { try value() } while take(",")
            try expect("]")
        }
        depth -= 1
    }

    private mutating func open() throws(Fault) {
        depth += 1
        guard depth <= depthLimit else { throw .tooDeep }
        position += 1
        skipSpace()
    }

    private mutating func word(_ word: StaticString) throws(Fault) {
        let bytes = UnsafeBufferPointer(start: word.utf8Start, count: word.utf8CodeUnitCount)
        guard text[position...].starts(with: bytes) else { throw .notJSON }
        position += bytes.count
    }

    // MARK: Numbers

    private mutating func number() throws(Fault) {
        _ = take("-")
        if !take("0") { try digits() }
        if take(".") { try digits() }
        if take("e") || take("E") {
            if !take("+") { _ = take("-") }
            try digits()
        }
    }

    private mutating func digits() throws(Fault) {
        let start = position
        while let byte = peek, Self.isDigit(byte) { position += 1 }
        guard position > start else { throw .notJSON }
    }

    // MARK: Strings

    private mutating func string() throws(Fault) {
        try expect("\"")
        while let byte = peek {
            switch byte {
            case UInt8(ascii: "\""):
                position += 1
                return
            case UInt8(ascii: "\\"): try escape()
            case 0..<0x20: throw .notJSON
            default: position += 1
            }
        }
        throw .notJSON
    }

    private mutating func escape() throws(Fault) {
        position += 1
        switch peek {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"),
            UInt8(ascii: "f"), UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
            position += 1
        case UInt8(ascii: "u"): try unicodeEscape()
        default: throw .notJSON
        }
    }

    private mutating func unicodeEscape() throws(Fault) {
        switch try codeUnit() {
        case 0xD800..<0xDC00:
            try expect("\\")
            guard case 0xDC00..<0xE000 = try codeUnit() else { throw .notJSON }
        case 0xDC00..<0xE000: throw .notJSON
        default: break
        }
    }

    private mutating func codeUnit() throws(Fault) -> UInt32 {
        try expect("u")
        var unit: UInt32 = 0
        for _ in 0..<4 {
            guard let byte = peek, let digit = Self.hexDigit(byte) else { throw .notJSON }
            unit = unit << 4 | digit
            position += 1
        }
        return unit
    }

    // MARK: Bytes

    private var peek: UInt8? { position < text.count ? text[position] : nil }

    private mutating func take(_ expected: Unicode.Scalar) -> Bool {
        guard peek == UInt8(ascii: expected) else { return false }
        position += 1
        return true
    }

    private mutating func expect(_ expected: Unicode.Scalar) throws(Fault) {
        guard take(expected) else { throw .notJSON }
    }

    private mutating func skipSpace() {
        while let byte = peek {
            switch byte {
            case 0x20, 0x09, 0x0A, 0x0D: position += 1
            default: return
            }
        }
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte
    }

    private static func hexDigit(_ byte: UInt8) -> UInt32? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(byte - UInt8(ascii: "0"))
        case UInt8(ascii: "a")...UInt8(ascii: "f"): UInt32(byte - UInt8(ascii: "a") + 10)
        case UInt8(ascii: "A")...UInt8(ascii: "F"): UInt32(byte - UInt8(ascii: "A") + 10)
        default: nil
        }
    }
}
