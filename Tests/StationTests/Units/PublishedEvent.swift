import FoundationEssentials
import LineProtocols
import Scanning

@testable import Station

/// An event as a client reads it.
struct PublishedEvent: Decodable, Sendable {
    let seq: Int64?
    let durable: Bool?
    let type: String
    let scan: String?
    let outcome: ResolutionEvent.Outcome?
    let source: ResolutionEvent.Source?
    let state: String?
    let lost: Bool?
    let heldMilliseconds: Int64?
    let suppressed: Int?
    let unrecognised: Unrecognised?
    let late: Bool?
    let changed: Bool?
    let object: ObjectSummary?
    let error: AnswerError?
    let job: Job?
    let reader: ReaderReference?
    /// A word whose meaning depends on the type.
    let reason: String?

    struct Job: Decodable, Sendable {
        let id: String
        let state: String
        let error: String?
    }

    private struct Line: Decodable {
        let params: PublishedEvent
    }

    /// Reads a line; nil where it is no event.
    init?(_ line: [UInt8]) {
        guard let line = try? JSONDecoder().decode(Line.self, from: Data(line)) else { return nil }
        self = line.params
    }

    /// What it is in a few words, for comparing a whole story: `resolution OFFLINE network`.
    var words: String {
        let parts = [
            type, unrecognised?.rawValue, state, outcome?.rawValue, source?.rawValue, reason,
            late == true ? "late" : nil, changed.map { $0 ? "changed" : "unchanged" },
            lost == true ? "lost" : nil, job.map { "\($0.state)" },
            error?.code, durable == false ? "not durable" : nil,
        ]
        return parts.compactMap { $0 }.joined(separator: " ")
    }
}

extension Listener {
    /// What was published, read as clients do.
    var events: [PublishedEvent] { lines.compactMap { PublishedEvent($0.bytes) } }

    /// The story of one scan.
    func story(of scan: String) -> [String] {
        events.filter { $0.scan == scan || $0.job?.id == scan }.map(\.words)
    }
}
