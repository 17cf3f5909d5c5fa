/// Prints events in the form that was asked for.
struct EventPrinter {
    /// The two forms.
    enum Form {
        /// Lines for people.
        case lines(EventRenderer)
        /// The objects as they were sent; on a terminal with its dangers escaped.
        case json(isTerminal: Bool)
    }

    private var form: Form
    private var output: StandardOutput

    init(_ form: Form, output: StandardOutput) {
        self.form = form
        self.output = output
    }

    /// Prints an event; it may stay gathered until `flush`.
    ///
    /// - Throws: As `StandardOutput.flush`.
    mutating func print(_ event: StationEvent) throws {
        switch form {
        case .lines(var renderer):
            let lines = renderer.render(event.body)
            form = .lines(renderer)
            try output.write(lines.utf8)
        case .json(let isTerminal):
            let body = isTerminal ? TerminalText.escapeJSON(event.body) : event.body
            try output.write(body + [UInt8(ascii: "\n")])
        }
    }

    /// Writes what is gathered.
    ///
    /// - Throws: As `StandardOutput.flush`.
    mutating func flush() throws {
        try output.flush()
    }
}
