/// Colours for a terminal, or none.
package struct Paint: Sendable {
    /// What a piece of text stands for.
    package enum Style: Sendable {
        /// Less important than the rest.
        case faint
        /// What to look for: names and codes.
        case accent
        case good
        /// Worth a look, not wrong.
        case notice
        case bad

        /// The parameter of Select Graphic Rendition.
        ///
        /// Source: ECMA-48, section 8.3.117.
        var code: Int {
            switch self {
            case .faint: 2
            case .accent: 36
            case .good: 32
            case .notice: 33
            case .bad: 31
            }
        }
    }

    /// When to use colours.
    package enum Choice: String, Sendable, CaseIterable {
        case auto, always, never
    }

    private let isOn: Bool

    package init(isOn: Bool) {
        self.isOn = isOn
    }

    /// Decides by the person's choice, the environment and whether a terminal is written to.
    ///
    /// Source: no-color.org: NO_COLOR counts when it is not empty, whatever its value.
    init(_ choice: Choice, environment: [String: String], isTerminal: Bool) {
        switch choice {
        case .always: isOn = true
        case .never: isOn = false
        case .auto:
            let refused = !(environment["NO_COLOR"] ?? "").isEmpty
            isOn = isTerminal && !refused && environment["TERM"] != "dumb"
        }
    }

    /// The text in the style's colour.
    func callAsFunction(_ text: String, _ style: Style?) -> String {
        guard isOn, let style else { return text }
        return "\u{1B}[\(style.code)m\(text)\u{1B}[0m"
    }
}
