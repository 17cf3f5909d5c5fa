internal import FoundationEssentials
internal import Scanning

/// JSON as both protocols write it: one object a line, members in the order of their names.
package enum JSONLine {
    /// The deepest nesting of arrays and objects that is read.
    package static let depthLimit = 64

    /// A value's JSON without a line end.
    ///
    /// - Throws: `EncodingError` for a number that JSON has no form for (NaN, infinity).
    package static func encode(_ value: some Encodable) throws -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return Array(try encoder.encode(value))
    }

    /// Reads a value from one line.
    ///
    /// - Throws: `Malformed` where the line is no JSON, or is nested too deeply; `DecodingError`
    ///   where it is JSON of another shape.
    package static func decode<Value: Decodable>(
        _ type: Value.Type, from line: [UInt8]
    ) throws -> Value {
        guard String(validating: line, as: UTF8.self) != nil else { throw Malformed.notUTF8 }
        do throws(JSONSyntax.Fault) {
            try JSONSyntax.check(line, depthLimit: depthLimit)
        } catch {
            throw error == .tooDeep ? Malformed.tooDeep : Malformed.notJSON
        }
        return try JSONDecoder().decode(type, from: Data(line))
    }

    /// Why a line can't be read as JSON at all.
    package enum Malformed: Error, CustomStringConvertible, Sendable {
        case notUTF8, notJSON, tooDeep

        package var description: String {
            switch self {
            case .notUTF8: "the line is not UTF-8"
            case .notJSON: "the line is not JSON"
            case .tooDeep: "the JSON is nested more than \(depthLimit) levels deep"
            }
        }
    }
}
