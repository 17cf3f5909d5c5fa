extension ValueFormat where Value == [String] {
    /// Host names, lower-cased, each once.
    static var hostNames: ValueFormat {
        ValueFormat(
            label: "list of host names",
            read: { node, key, report in
                let wanted = "a list of host names such as [\"s.plings.io\"]"
                guard let items = items(node, key, wanted: wanted, &report) else { return nil }
                var names: [String] = []
                for item in items {
                    guard let name = hostName(item, key, &report) else { continue }
                    if !names.contains(name) { names.append(name) }
                }
                return names.isEmpty ? nil : names
            },
            literal: literal)
    }

    /// A program and its arguments.
    static var command: ValueFormat {
        ValueFormat(
            label: "list of strings",
            read: { node, key, report in
                let wanted = "a list of strings such as [\"/usr/local/bin/reader\", \"--verbose\"]"
                guard let items = items(node, key, wanted: wanted, &report),
                    let program = items.first.flatMap({ program($0, key, &report) })
                else { return nil }
                let arguments = items.dropFirst().compactMap { argument($0, key, &report) }
                return [program] + arguments
            },
            literal: literal)
    }

    private static func literal(_ value: [String]) -> String? {
        "[" + value.map { "\"\($0)\"" }.joined(separator: ", ") + "]"
    }

    private static func items(
        _ node: TOMLNode, _ key: String, wanted: String, _ report: inout ProblemReport
    ) -> [TOMLNode]? {
        guard node.type == .array, let items = node.items else {
            refuseType(node, key, wanted: wanted, &report)
            return nil
        }
        guard !items.isEmpty else {
            report.add("\"\(key)\" must not be empty", at: node.place)
            return nil
        }
        return items
    }

    private static func hostName(
        _ item: TOMLNode, _ key: String, _ report: inout ProblemReport
    ) -> String? {
        guard item.type == .string, let text = item.text else {
            refuseItem(item, key, wanted: "a host name", &report)
            return nil
        }
        let name = text.lowercased()
        if HostName.isValid(name) { return name }
        let meant = HostName.within(name).map { "; did you mean \"\($0)\"?" } ?? ""
        report.add(
            "each of \"\(key)\" must be a host name without scheme, port or path, not "
                + DisplayText.value(text) + meant, at: item.place)
        return nil
    }

    private static func program(
        _ item: TOMLNode, _ key: String, _ report: inout ProblemReport
    ) -> String? {
        guard item.type == .string, let text = item.text else {
            refuseItem(item, key, wanted: "a string", &report)
            return nil
        }
        // A bare name is no path: it is looked for where the reader programs are.
        guard text.contains("/") || text.hasPrefix("~") || text.isEmpty else {
            return argument(item, key, &report)
        }
        return ValueFormat<String>.path().read(item, key, &report)
    }

    private static func argument(
        _ item: TOMLNode, _ key: String, _ report: inout ProblemReport
    ) -> String? {
        guard item.type == .string, let text = item.text else {
            refuseItem(item, key, wanted: "a string", &report)
            return nil
        }
        guard !text.unicodeScalars.contains("\0") else {
            report.add("\"\(key)\" must not hold NUL characters", at: item.place)
            return nil
        }
        return text
    }

    private static func refuseItem(
        _ item: TOMLNode, _ key: String, wanted noun: String, _ report: inout ProblemReport
    ) {
        report.add(
            "each of \"\(key)\" must be \(noun), not \(item.type.noun)", at: item.place)
    }
}
