/// How a value is written in the configuration: its type, its bounds and the words for them.
struct ValueFormat<Value: Sendable>: Sendable {
    /// Reads one value; notes what is wrong with it and returns nil when it cannot be taken.
    typealias Reader = @Sendable (TOMLNode, _ key: String, inout ProblemReport) -> Value?

    /// Type and bounds as they stand in the example file, such as `Integer from 1 to 6000`.
    let label: String

    /// Reads one value.
    let read: Reader

    /// The value as it is written in TOML; nil when there is none.
    let literal: @Sendable (Value) -> String?

    /// The same format for a key that may be left out.
    var optional: ValueFormat<Value?> {
        ValueFormat<Value?>(
            label: label,
            read: { [read] node, key, report in
                read(node, key, &report).map { .some($0) }
            },
            literal: { [literal] value in value.flatMap(literal) })
    }
}

extension ValueFormat {
    /// Notes that a value has another type than its key wants.
    ///
    /// - Parameters:
    ///   - node: The value.
    ///   - key: Its key.
    ///   - noun: What is wanted, with its article.
    ///   - report: Where problems are noted.
    static func refuseType(
        _ node: TOMLNode, _ key: String, wanted noun: String, _ report: inout ProblemReport
    ) {
        report.add("\"\(key)\" must be \(noun), not \(node.type.noun)", at: node.place)
    }
}

extension ValueFormat where Value == Bool {
    /// `true` or `false`.
    static var boolean: ValueFormat {
        ValueFormat(
            label: "true or false",
            read: { node, key, report in
                guard node.type == .boolean else {
                    refuseType(node, key, wanted: "true or false", &report)
                    return nil
                }
                return node.text == "true"
            },
            literal: { "\($0)" })
    }
}

extension ValueFormat where Value == Int {
    /// A whole number within bounds.
    ///
    /// - Parameter range: The numbers allowed.
    /// - Returns: The format.
    static func integer(_ range: ClosedRange<Int>) -> ValueFormat {
        let bounds = "from \(range.lowerBound) to \(range.upperBound)"
        return ValueFormat(
            label: "integer \(bounds)",
            read: { node, key, report in
                guard node.type == .integer, let number = node.text.flatMap({ Int($0) }) else {
                    refuseType(node, key, wanted: "an integer \(bounds)", &report)
                    return nil
                }
                guard range.contains(number) else {
                    report.add("\"\(key)\" must be \(bounds), not \(number)", at: node.place)
                    return nil
                }
                return number
            },
            literal: { "\($0)" })
    }
}

extension ValueFormat where Value == Double {
    /// A number within bounds, with or without decimals.
    ///
    /// - Parameter range: The numbers allowed; its upper bound may be infinite.
    /// - Returns: The format.
    static func number(_ range: ClosedRange<Double>) -> ValueFormat {
        let lowest = DisplayText.number(range.lowerBound)
        let bounds =
            range.upperBound.isFinite
            ? "from \(lowest) to \(DisplayText.number(range.upperBound))" : "of \(lowest) or more"
        return ValueFormat(
            label: "number \(bounds)",
            read: { node, key, report in
                let isNumber = node.type == .integer || node.type == .float
                guard isNumber, let text = node.text, let number = Double(text) else {
                    refuseType(node, key, wanted: "a number \(bounds)", &report)
                    return nil
                }
                guard number.isFinite, range.contains(number) else {
                    report.add("\"\(key)\" must be a number \(bounds), not \(text)", at: node.place)
                    return nil
                }
                return number
            },
            literal: { DisplayText.number($0) })
    }
}

extension ValueFormat
where Value: RawRepresentable & CaseIterable & Sendable, Value.RawValue == String {
    /// One of a few words.
    ///
    /// - Parameter noun: What the words name, such as `log level`.
    /// - Returns: The format.
    static func word(_ noun: String) -> ValueFormat {
        let words = Value.allCases.map(\.rawValue)
        let choice = DisplayText.choice(words)
        return ValueFormat(
            label: choice,
            read: { node, key, report in
                guard node.type == .string, let text = node.text else {
                    refuseType(node, key, wanted: choice, &report)
                    return nil
                }
                if let value = Value(rawValue: text) { return value }
                let meant = NearestWord.find(text, among: words)
                let hint = meant.map { "; did you mean \"\($0)\"?" } ?? ""
                report.add(
                    "unknown \(noun) \(DisplayText.value(text)): it must be \(choice)\(hint)",
                    at: node.place)
                return nil
            },
            literal: { "\"\($0.rawValue)\"" })
    }
}
