/// One thing that was looked at, and how it is.
package struct Finding: Sendable, Hashable {
    /// Which of the sentences of the reference it is, such as `pcscd-not-running`.
    package let check: String
    package let state: State
    /// One sentence, which names the thing and the cause.
    ///
    /// Parts may come from outside: it is escaped before it goes to a terminal.
    package let text: String
    /// What mends it, for a shell.
    package let command: String?

    /// How bad it is.
    package enum State: String, Sendable, CaseIterable, Encodable {
        /// The station can't do its work before this is mended.
        case problem
        /// Nothing that must be mended, or something that could not be looked at.
        case note
        case ok
    }

    package init(check: String, state: State, text: String, command: String?) {
        self.check = check
        self.state = state
        self.text = text
        self.command = command
    }
}

extension Finding: Encodable {
    private enum Key: String, CodingKey { case check, state, text, command }

    package func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: Key.self)
        try members.encode(check, forKey: .check)
        try members.encode(state, forKey: .state)
        try members.encode(text, forKey: .text)
        try members.encodeIfPresent(command, forKey: .command)
    }
}

/// The form of a finding, with names in braces where its parts go: `{reader} is ready`.
package struct FindingForm: Sendable, Hashable {
    package let state: Finding.State
    package let sentence: String
    package let command: String?

    private init(_ state: Finding.State, _ sentence: String, _ command: String?) {
        self.state = state
        self.sentence = sentence
        self.command = command
    }

    static func problem(_ sentence: String, _ command: String? = nil) -> FindingForm {
        FindingForm(.problem, sentence, command)
    }

    static func note(_ sentence: String, _ command: String? = nil) -> FindingForm {
        FindingForm(.note, sentence, command)
    }

    static func ok(_ sentence: String) -> FindingForm {
        FindingForm(.ok, sentence, nil)
    }
}

/// The findings of one topic; the raw value is the name that stands in the reference.
package protocol Diagnosis: CaseIterable, RawRepresentable<String>, Sendable {
    var form: FindingForm { get }
}

extension Diagnosis {
    /// The finding with its parts put in.
    ///
    /// - Parameter parts: What stands for each name in braces.
    /// - Returns: The finding.
    func finding(_ parts: [String: String] = [:]) -> Finding {
        Finding(
            check: rawValue, state: form.state, text: Self.fill(form.sentence, parts),
            command: form.command.map { Self.fill($0, parts) })
    }

    /// Puts the parts in, in one pass: what a part brings along in braces stays as it is.
    private static func fill(_ form: String, _ parts: [String: String]) -> String {
        var text = ""
        var rest = form[...]
        while let open = rest.firstIndex(of: "{"), let close = rest[open...].firstIndex(of: "}") {
            let name = rest[rest.index(after: open)..<close]
            text += rest[..<open]
            text += parts[String(name)] ?? "?"
            rest = rest[rest.index(after: close)...]
        }
        return text + rest
    }
}

/// Every finding there is.
package enum FindingReference {
    /// The names and forms, topic by topic.
    package static let all: [(name: String, form: FindingForm)] =
        list(LookDiagnosis.self) + list(ConfigurationDiagnosis.self) + list(StationDiagnosis.self)
        + list(PCSCDiagnosis.self) + list(USBDiagnosis.self) + list(APIDiagnosis.self)
        + list(TokenDiagnosis.self) + list(ClockDiagnosis.self) + list(StoreDiagnosis.self)

    private static func list<Topic: Diagnosis>(
        _ topic: Topic.Type
    ) -> [(name: String, form: FindingForm)] {
        topic.allCases.map { ($0.rawValue, $0.form) }
    }
}
