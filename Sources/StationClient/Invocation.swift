/// What a command line asks for.
package struct Invocation: Equatable {
    /// The socket that the person named.
    package var socket: String?
    package var command: Command

    /// The commands with what each needs.
    package enum Command: Equatable {
        case watch(WatchOptions)
        case status(StatusOptions)
        case submit(url: String)
        case outbox(OutboxOptions)
        case metrics
        /// Without an address it is asked for.
        case login(email: String?)
        case logout
        case doctor(DoctorOptions)
        case version
        /// The help of a command, or of the program.
        case help(topic: String?)
    }

    /// The names of the commands.
    static let commands = [
        "watch", "status", "submit", "outbox", "metrics", "doctor", "login", "logout", "version",
        "help",
    ]

    private static let common = ArgumentWords.Options(
        flags: ["--help", "-h", "--version"], valued: ["--socket"])

    /// Reads the arguments, the program's own name left out.
    package init(_ arguments: [String]) throws(UsageError) {
        let before = try ArgumentWords(
            arguments, options: Self.common, topic: nil, stopsAtOperand: true)
        guard let name = before.remaining.first else {
            self.init(socket: nil, command: try Self.withoutCommand(before))
            return
        }
        guard Self.commands.contains(name) else {
            throw .unknown("command", name, among: Self.commands)
        }
        let words = try ArgumentWords(
            Array(before.remaining.dropFirst()), options: Self.common + Self.options(of: name),
            topic: name)
        let socket = words.last("--socket") ?? before.last("--socket")
        guard socket != "" else { throw UsageError("the option --socket needs a path") }
        let flags = before.flags.union(words.flags)
        if let command = Self.general(flags, topic: name) {
            self.init(socket: socket, command: command)
        } else {
            self.init(socket: socket, command: try Self.command(name, words))
        }
    }

    private init(socket: String?, command: Command) {
        self.socket = socket
        self.command = command
    }

    private static func withoutCommand(_ words: ArgumentWords) throws(UsageError) -> Command {
        guard let command = general(words.flags, topic: nil) else {
            throw UsageError("a command is missing: \(commands.joined(separator: ", "))")
        }
        return command
    }

    /// What the options that every command has ask for in its place.
    private static func general(_ flags: Set<String>, topic: String?) -> Command? {
        if flags.contains("--help") || flags.contains("-h") { return .help(topic: topic) }
        return flags.contains("--version") ? .version : nil
    }

    private static func options(of command: String) -> ArgumentWords.Options {
        switch command {
        case "watch": WatchOptions.words
        case "status": StatusOptions.words
        case "outbox": OutboxOptions.words
        case "login": ArgumentWords.Options(flags: [], valued: ["--email"])
        case "doctor": DoctorOptions.words
        default: ArgumentWords.Options(flags: [], valued: [])
        }
    }

    private static func command(
        _ name: String, _ words: ArgumentWords
    ) throws(UsageError) -> Command {
        switch name {
        case "watch": return .watch(try WatchOptions(words))
        case "status": return .status(try StatusOptions(words))
        case "doctor": return .doctor(try DoctorOptions(words))
        case "submit":
            guard let url = words.operands.first, words.operands.count == 1, !url.isEmpty else {
                throw UsageError("submit takes one URL", topic: name)
            }
            return .submit(url: url)
        case "outbox": return .outbox(try OutboxOptions(words))
        case "metrics":
            try words.refuseOperands(topic: name)
            return .metrics
        case "login":
            try words.refuseOperands(topic: name)
            return .login(email: words.last("--email"))
        case "logout":
            try words.refuseOperands(topic: name)
            return .logout
        case "version":
            try words.refuseOperands(topic: name)
            return .version
        default: return .help(topic: try topic(words))
        }
    }

    private static func topic(_ words: ArgumentWords) throws(UsageError) -> String? {
        guard let topic = words.operands.first else { return nil }
        guard commands.contains(topic) else {
            throw .unknown("command", topic, among: commands)
        }
        return topic
    }
}

extension ArgumentWords {
    /// Fails where a command that takes none has operands.
    func refuseOperands(topic: String) throws(UsageError) {
        guard let operand = operands.first else { return }
        throw UsageError("\(topic) takes no argument \(operand)", topic: topic)
    }

    /// The choice about colours.
    func colour(topic: String) throws(UsageError) -> Paint.Choice {
        guard let word = last("--color") else { return .auto }
        guard let choice = Paint.Choice(rawValue: word) else {
            throw UsageError("--color is auto, always or never, not \(word)", topic: topic)
        }
        return choice
    }
}
