internal import CSystemd
internal import Glibc
internal import Synchronization

/// The daemon's log: a fixed message with values as fields, to the journal or to stderr.
///
/// Levels are defined by consequence: `error`, something was lost or a person must act; `warning`,
/// unexpected and nothing was lost; `info`, a change of state; `debug`, each step of a scan.
package struct Log: Sendable {
    /// How much a message matters.
    package enum Level: Int, Sendable, Comparable {
        case error = 3, warning = 4, info = 6, debug = 7

        package static func < (left: Level, right: Level) -> Bool { left.rawValue < right.rawValue }

        fileprivate var name: String {
            switch self {
            case .error: "error"
            case .warning: "warning"
            case .info: "info"
            case .debug: "debug"
            }
        }
    }

    /// A value that goes with a message.
    package typealias Fields = KeyValuePairs<String, String>

    private let threshold: Threshold
    private let toJournal: Bool
    private let stream = LogStream(descriptor: 2)

    /// Makes a log that leaves out what is less than the level.
    package init(level: Level) {
        threshold = Threshold(level)
        toJournal = Self.stderrIsJournal()
    }

    /// The least important messages that are logged, for all copies of this log.
    package var level: Level {
        get { threshold.level }
        nonmutating set { threshold.level = newValue }
    }

    private final class Threshold: Sendable {
        private let number: Atomic<Int>

        init(_ level: Level) {
            number = Atomic(level.rawValue)
        }

        var level: Level {
            get { Level(rawValue: number.load(ordering: .relaxed)) ?? .info }
            set { number.store(newValue.rawValue, ordering: .relaxed) }
        }
    }

    package func error(_ message: StaticString, _ fields: Fields = [:]) {
        write(.error, message, fields)
    }

    package func warning(_ message: StaticString, _ fields: Fields = [:]) {
        write(.warning, message, fields)
    }

    package func info(_ message: StaticString, _ fields: Fields = [:]) {
        write(.info, message, fields)
    }

    package func debug(_ message: StaticString, _ fields: Fields = [:]) {
        write(.debug, message, fields)
    }

    private func write(_ level: Level, _ message: StaticString, _ fields: Fields) {
        guard level <= threshold.level else { return }
        let values = fields.map { ($0.key, Self.escaped($0.value)) }
        let readable =
            message.description + values.map { " \($0)=\(Self.quoted($1))" }.joined()
        guard toJournal else {
            return stream.write("\(level.name): \(readable)\n")
        }
        let entries =
            ["MESSAGE=\(readable)", "PRIORITY=\(level.rawValue)"]
            + values.map { "PLINGS_\(Self.fieldName($0))=\($1)" }
        Self.send(entries)
    }

    /// Whether stderr is the stream that systemd connected to the journal.
    ///
    /// Source: systemd.exec(5), JOURNAL_STREAM.
    private static func stderrIsJournal() -> Bool {
        guard let text = getenv("JOURNAL_STREAM") else { return false }
        var status = stat()
        guard fstat(2, &status) == 0 else { return false }
        return String(cString: text) == "\(status.st_dev):\(status.st_ino)"
    }

    private static func send(_ entries: [String]) {
        var buffers = entries.map { Array($0.utf8) }
        var vectors: [iovec] = []
        withPointers(to: &buffers, from: 0, collecting: &vectors) { vectors in
            _ = sd_journal_sendv(vectors, Int32(vectors.count))
        }
    }

    private static func withPointers(
        to buffers: inout [[UInt8]], from index: Int, collecting vectors: inout [iovec],
        _ body: ([iovec]) -> Void
    ) {
        guard index < buffers.count else { return body(vectors) }
        var bytes = buffers[index]
        bytes.withUnsafeMutableBytes { pointer in
            vectors.append(iovec(iov_base: pointer.baseAddress, iov_len: pointer.count))
            withPointers(to: &buffers, from: index + 1, collecting: &vectors, body)
        }
    }

    /// Journal fields are upper-case letters, digits and underscores.
    ///
    /// Source: systemd.journal-fields(7).
    private static func fieldName(_ name: String) -> String {
        String(name.uppercased().map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "_" })
    }

    /// The text with control characters written out, so that no tag or peer can forge a line.
    private static func escaped(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars.prefix(2048) {
            if scalar.properties.generalCategory == .control {
                result += "\\u{\(String(scalar.value, radix: 16))}"
            } else {
                result.unicodeScalars.append(scalar)
            }
        }
        return result
    }

    private static func quoted(_ text: String) -> String {
        let plain = !text.isEmpty && !text.contains { $0 == " " || $0 == "\"" || $0 == "=" }
        return plain ? text : "\"\(text.map { $0 == "\"" ? "\\\"" : "\($0)" }.joined())\""
    }
}
