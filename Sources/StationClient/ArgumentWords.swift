/// The words of a command line, told apart: options with and without a value, and the rest.
struct ArgumentWords {
    /// The options that some part of a command line may have.
    struct Options {
        /// Options without a value.
        let flags: [String]
        /// Options with a value.
        let valued: [String]

        static func + (left: Options, right: Options) -> Options {
            Options(flags: left.flags + right.flags, valued: left.valued + right.valued)
        }
    }

    private(set) var flags: Set<String> = []
    /// What each option was given, in order.
    private(set) var values: [String: [String]] = [:]
    private(set) var operands: [String] = []
    private var rest: ArraySlice<String>

    /// Reads words.
    ///
    /// - Parameters:
    ///   - words: The arguments.
    ///   - options: What may occur.
    ///   - topic: The command whose help an error points at.
    ///   - stopsAtOperand: Whether the first operand ends the reading; `remaining` begins with it.
    /// - Throws: `UsageError` for an option that does not exist or lacks its value.
    init(
        _ words: [String], options: Options, topic: String?, stopsAtOperand: Bool = false
    ) throws(UsageError) {
        rest = words[...]
        while let word = rest.first {
            let isOption = word.hasPrefix("-") && word != "-"
            if !isOption && stopsAtOperand { return }
            rest = rest.dropFirst()
            if word == "--" {
                if stopsAtOperand { return }
                operands += rest
                rest = []
            } else if isOption {
                try take(word, options, topic)
            } else {
                operands.append(word)
            }
        }
    }

    /// The words that were not read.
    var remaining: [String] { Array(rest) }

    private mutating func take(
        _ word: String, _ options: Options, _ topic: String?
    ) throws(UsageError) {
        let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        let name = String(parts[0])
        let inline = parts.count > 1 ? String(parts[1]) : nil
        if options.flags.contains(name) {
            guard inline == nil else {
                throw UsageError("the option \(name) takes no value", topic: topic)
            }
            flags.insert(name)
        } else if options.valued.contains(name) {
            values[name, default: []].append(try value(of: name, inline, topic))
        } else {
            let known = (options.flags + options.valued).filter { $0.hasPrefix("--") }
            throw .unknown("option", name, among: known, topic: topic)
        }
    }

    private mutating func value(
        of name: String, _ inline: String?, _ topic: String?
    ) throws(UsageError) -> String {
        if let inline { return inline }
        // A value that looks like an option is one that was forgotten; `=` can still give it.
        guard let next = rest.first, !next.hasPrefix("--") else {
            throw UsageError("the option \(name) needs a value", topic: topic)
        }
        rest = rest.dropFirst()
        return next
    }

    /// The value that an option was given last.
    func last(_ option: String) -> String? { values[option]?.last }
}
