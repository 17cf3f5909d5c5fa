/// The rules of a udev file, taken apart strictly: what is not understood is a complaint.
///
/// Source: udev(7), "Rules files"; without continuation lines, which ours don't use.
struct UdevRules {
    /// One `KEY{attribute}operator"value"`.
    struct Term: Equatable {
        let key: String
        let operation: String
        let value: String
    }

    private(set) var rules: [[Term]] = []
    private(set) var complaints: [String] = []

    /// The keys that our rules use, with the operators that each may have.
    private static let keys: [String: Set<String>] = [
        "ACTION": ["==", "!="], "ATTR{idProduct}": ["=="], "ATTR{idVendor}": ["=="],
        "ATTR{power/control}": ["="], "ENV{DEVTYPE}": ["==", "!="], "GOTO": ["="], "GROUP": ["="],
        "LABEL": ["="], "MODE": ["="], "SUBSYSTEM": ["==", "!="], "TEST": ["=="],
    ]

    init(_ text: String) {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        for (number, line) in lines.enumerated() where !line.isEmpty && !line.hasPrefix("#") {
            rules.append(line.split(separator: ", ").compactMap { term(in: $0, number + 1) })
        }
        if !text.hasSuffix("\n") { complaints.append("the last line has no end") }
        checkLabels()
    }

    private mutating func term(in text: Substring, _ line: Int) -> Term? {
        let key = text.prefix { $0 != "=" && $0 != "!" }
        let operation = text.dropFirst(key.count).prefix { "=!".contains($0) }
        let quoted = text.dropFirst(key.count + operation.count)
        guard let operators = Self.keys[String(key)], operators.contains(String(operation)),
            quoted.count >= 2, quoted.first == "\"", quoted.last == "\"",
            !quoted.dropFirst().dropLast().contains("\"")
        else {
            complaints.append("line \(line): \(text) is no term of a rule")
            return nil
        }
        return Term(
            key: String(key), operation: String(operation),
            value: String(quoted.dropFirst().dropLast()))
    }

    /// A jump goes forward, to a label that is there.
    private mutating func checkLabels() {
        var labels: Set<String> = []
        for rule in rules.reversed() {
            for term in rule where term.key == "GOTO" && !labels.contains(term.value) {
                complaints.append("no label \(term.value) follows")
            }
            labels.formUnion(rule.filter { $0.key == "LABEL" }.map(\.value))
        }
    }

    /// The USB ids, `072f:2200`, of the devices that jump to a label.
    func ids(to label: String) -> [String] {
        rules.filter { rule in rule.contains { $0.key == "GOTO" && $0.value == label } }
            .flatMap { rule in
                let vendors = Self.alternatives("ATTR{idVendor}", rule)
                let products = Self.alternatives("ATTR{idProduct}", rule)
                return vendors.flatMap { vendor in products.map { "\(vendor):\($0)" } }
            }
    }

    private static func alternatives(_ key: String, _ rule: [Term]) -> [String] {
        rule.filter { $0.key == key }.flatMap { $0.value.split(separator: "|").map(String.init) }
    }
}
