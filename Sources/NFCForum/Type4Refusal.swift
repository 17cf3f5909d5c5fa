/// A command to a Type 4 Tag that was not carried out.
package struct Type4Refusal: Error, Sendable, Hashable, CustomStringConvertible {
    private let command: Type4Command
    private let cause: Cause

    enum Cause: Sendable, Hashable {
        case status(StatusWord)
        case nothing
        case tooManyCommands
    }

    init(_ command: Type4Command, _ cause: Cause) {
        self.command = command
        self.cause = cause
    }

    package var description: String {
        let what =
            switch command {
            case .selectApplication: "selecting the NDEF application"
            case .selectFile(Type4Command.container, _): "selecting the capability container"
            case .selectFile: "selecting the NDEF file"
            case .read(let offset, _): "reading byte \(offset) of a file"
            }
        return switch cause {
        case .status(let status): "\(what) was answered by \(status)"
        case .nothing: "\(what) brought nothing"
        case .tooManyCommands: "\(what) came after more commands than the message can need"
        }
    }
}
