/// The imports in a Swift source, whatever their attributes, access level and layout.
enum SwiftImports {
    private static let kinds: Set<String> = [
        "class", "enum", "func", "let", "protocol", "struct", "typealias", "var",
    ]

    /// The modules that a source imports, in its order.
    static func modules(in source: String) -> [String] {
        let tokens = SwiftTokens.tokens(of: source)
        return tokens.indices.compactMap { index in
            guard tokens[index] == "import" else { return nil }
            // `import` as a member, a label or a name in backquotes.
            if index > 0, [".", "`"].contains(tokens[index - 1]) { return nil }
            var next = tokens[(index + 1)...].drop { $0 == "`" }
            if let kind = next.first, kinds.contains(kind) { next = next.dropFirst() }
            guard let module = next.first, module != ":" else { return nil }
            return module
        }
    }
}
