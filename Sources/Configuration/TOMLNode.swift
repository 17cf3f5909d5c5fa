import CTOML
import FoundationEssentials

/// One value of a TOML text, and where it stands.
struct TOMLNode: Decodable, Sendable {
    /// The types of TOML.
    ///
    /// Source: TOML 1.0.0.
    enum Kind: String, Decodable, Sendable {
        case table, array, string, integer, float, boolean, date, time
        case dateTime = "date-time"

        /// The type with its article, for a sentence.
        var noun: String {
            switch self {
            case .array, .integer: "an \(rawValue)"
            default: "a \(rawValue)"
            }
        }
    }

    let type: Kind
    let line: Int
    let column: Int

    /// A string's contents, or a number or boolean as canonical text.
    let text: String?

    /// The elements of an array.
    let items: [TOMLNode]?

    /// The keys of a table.
    let members: [TOMLMember]?

    /// Where the value begins; for a table its header.
    var place: Place { Place(line: line, column: column) }
}

/// A key of a table and its value.
struct TOMLMember: Decodable, Sendable {
    let key: String
    let line: Int
    let column: Int
    let value: TOMLNode

    /// Where the key begins.
    var place: Place { Place(line: line, column: column) }
}

/// The first place at which a text is not valid TOML or passes a bound.
struct TOMLFault: Error, Decodable, Sendable {
    let line: Int
    let column: Int
    let text: String

    /// Where the text goes wrong.
    var place: Place { Place(line: line, column: column) }
}

extension TOMLNode {
    /// The longest text that is read, in bytes.
    static let maxTextLength = Int(CTOML_MAX_TEXT)

    /// Reads a TOML text.
    ///
    /// - Parameter text: The whole text.
    /// - Returns: The root table.
    /// - Throws: The first fault of the text.
    static func parse(_ text: String) throws(TOMLFault) -> TOMLNode {
        let answer = answer(to: text)
        guard let json = answer.json else {
            throw TOMLFault(line: 1, column: 1, text: "no memory to read the text")
        }
        let data = Data(json.utf8)
        do {
            guard answer.failed else { return try JSONDecoder().decode(TOMLNode.self, from: data) }
        } catch {
            throw TOMLFault(line: 1, column: 1, text: "the text could not be taken over: \(error)")
        }
        let fault = try? JSONDecoder().decode(TOMLFault.self, from: data)
        throw fault ?? TOMLFault(line: 1, column: 1, text: "not valid TOML")
    }

    private static func answer(to text: String) -> (json: String?, failed: Bool) {
        var text = text
        var failed: CInt = 0
        let json = text.withUTF8 { bytes in
            bytes.withMemoryRebound(to: CChar.self) { characters in
                ctoml_to_json(characters.baseAddress, characters.count, &failed)
            }
        }
        defer { ctoml_free(json) }
        return (json.map { String(cString: $0) }, failed != 0)
    }
}
