/// One key of the configuration: everything that checking, documentation and tests know about it.
struct ConfigurationKey<Value: Sendable>: Sendable {
    let name: String
    let format: ValueFormat<Value>

    /// The value when the key is left out or cannot be taken.
    let fallback: Value

    /// The key in words.
    let description: KeyDescription

    /// A key with a default.
    ///
    /// - Parameters:
    ///   - name: The key as it is written.
    ///   - format: How its value is written.
    ///   - fallback: The value when the key is left out.
    ///   - unit: What a plain number counts.
    ///   - example: A value in TOML for the example file, where the default says too little.
    ///   - sentence: What the key is for.
    init(
        _ name: String, _ format: ValueFormat<Value>, default fallback: Value,
        unit: String? = nil, example: String? = nil, _ sentence: String
    ) {
        self.init(
            name: name, format: format, fallback: fallback, unit: unit, example: example,
            otherwise: nil, sentence: sentence)
    }

    /// A key that has no fixed default.
    ///
    /// - Parameters:
    ///   - name: The key as it is written.
    ///   - format: How its value is written.
    ///   - otherwise: What holds when the key is left out.
    ///   - unit: What a plain number counts.
    ///   - example: A value in TOML for the example file.
    ///   - sentence: What the key is for.
    init<Wrapped>(
        _ name: String, _ format: ValueFormat<Wrapped>, otherwise: String, unit: String? = nil,
        example: String, _ sentence: String
    ) where Value == Wrapped? {
        self.init(
            name: name, format: format.optional, fallback: nil, unit: unit, example: example,
            otherwise: otherwise, sentence: sentence)
    }

    private init(
        name: String, format: ValueFormat<Value>, fallback: Value, unit: String?,
        example: String?, otherwise: String?, sentence: String
    ) {
        self.name = name
        self.format = format
        self.fallback = fallback
        description = KeyDescription(
            name: name, sentence: sentence, type: format.label, unit: unit,
            fallback: format.literal(fallback), otherwise: otherwise, example: example)
    }
}

/// A key in words.
package struct KeyDescription: Sendable, Equatable {
    /// The key as it is written.
    package let name: String

    /// What the key is for.
    package let sentence: String

    /// The type of its value and its bounds.
    package let type: String

    /// What a plain number counts.
    package let unit: String?

    /// The default in TOML; nil when there is no fixed one.
    package let fallback: String?

    /// What holds without a fixed default when the key is left out.
    package let otherwise: String?

    /// A value in TOML for the example file, where there is no default or it says too little.
    package let example: String?

    /// Type, bounds, unit and default on one line.
    package var facts: String {
        let what = unit.map { "\($0), \(type)" } ?? type
        let absence = fallback.map { "default \($0)" } ?? otherwise ?? "required"
        return "(\(what); \(absence))"
    }
}

/// One section of the configuration.
package struct ConfigurationSection: Sendable, Equatable {
    /// The section's name without brackets.
    package let name: String

    /// Whether the section may stand several times, each time in double brackets.
    package let isList: Bool

    /// The keys it may hold.
    package let keys: [KeyDescription]

    /// The section's header as it is written.
    package var header: String { isList ? "[[\(name)]]" : "[\(name)]" }

    /// Describes a section.
    ///
    /// - Parameters:
    ///   - name: Its name.
    ///   - isList: Whether it may stand several times.
    ///   - keys: The keys it may hold.
    init(_ name: String, isList: Bool = false, _ keys: [KeyDescription]) {
        self.name = name
        self.isList = isList
        self.keys = keys
    }
}
