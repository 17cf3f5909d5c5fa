/// The words and signs of a Swift source, without its comments and string literals.
///
/// Enough to find declarations by keyword; numbers and operators come out in pieces.
struct SwiftTokens {
    private let bytes: [UInt8]
    private var index = 0

    static func tokens(of source: String) -> [String] {
        var scanner = SwiftTokens(bytes: Array(source.utf8))
        return scanner.scan()
    }

    private init(bytes: [UInt8]) { self.bytes = bytes }

    private mutating func scan() -> [String] {
        var tokens: [String] = []
        while index < bytes.count {
            if follows("//") {
                while index < bytes.count, !follows("\n") { index += 1 }
            } else if follows("/*") {
                skipComment()
            } else if let hashes = stringStart() {
                skipString(hashes)
            } else if let token = take() {
                tokens.append(token)
            }
        }
        return tokens
    }

    /// Takes a word or a sign; nil for white space.
    private mutating func take() -> String? {
        let start = index
        while index < bytes.count, Self.isWord(bytes[index]) { index += 1 }
        if index == start { index += 1 }
        let token = String(decoding: bytes[start..<index], as: UTF8.self)
        return token.first?.isWhitespace == true ? nil : token
    }

    private static func isWord(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), 0x80...0xFF:
            true
        default: false
        }
    }

    private func follows(_ text: String) -> Bool {
        bytes[index...].starts(with: text.utf8)
    }

    /// Comments nest.
    private mutating func skipComment() {
        var depth = 0
        repeat {
            if follows("/*") {
                depth += 1
                index += 2
            } else if follows("*/") {
                depth -= 1
                index += 2
            } else {
                index += 1
            }
        } while depth > 0 && index < bytes.count
    }

    /// The number signs before a string literal that begins here; nil where none begins.
    private func stringStart() -> String? {
        let hashes = bytes[index...].prefix { $0 == UInt8(ascii: "#") }.count
        let quote = index + hashes
        guard quote < bytes.count, bytes[quote] == UInt8(ascii: "\"") else { return nil }
        return String(repeating: "#", count: hashes)
    }

    private mutating func skipString(_ hashes: String) {
        index += hashes.utf8.count
        let quotes = follows("\"\"\"") ? "\"\"\"" : "\""
        index += quotes.utf8.count
        while index < bytes.count, !follows(quotes + hashes) {
            // A literal of one line ends there, whatever a regular expression made us believe.
            if quotes == "\"", follows("\n") { return }
            index += follows("\\" + hashes) ? 2 + hashes.utf8.count : 1
        }
        index = min(bytes.count, index + quotes.utf8.count + hashes.utf8.count)
    }
}
