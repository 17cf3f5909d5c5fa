import Configuration
import LineProtocols
import Platform
import PlingsAPI
import Scanning
import TestRig

@testable import Station
@testable import Storage

/// The path of a tag from a reader's report to subscribers and the API, on real parts.
@LoopActor
final class PipelineBench {
    let bench: Bench
    let forwarder: Forwarder
    let pipeline: ScanPipeline
    let answers: FirstAnswers
    private var lastToken = 0

    var listener: Listener { bench.listener }
    var journal: Journal { bench.journal }
    var store: Store { bench.store }

    /// Puts the parts together.
    ///
    /// - Parameters:
    ///   - endpoint: The API's; nil where there is none.
    ///   - patience: How long a scan waits for the API; by default longer than any test.
    ///   - announcesPresent: Whether tags that lie there at the start are scans.
    ///   - flapLimit: How often one tag may come within three seconds; 0 for any number.
    ///   - folder: Where the store is, for going on with one.
    /// - Throws: What keeps the store or the client from being made.
    init(
        endpoint: String? = nil, patience: Duration = .seconds(1000), announcesPresent: Bool = true,
        flapLimit: Int = 0, in folder: TestFolder? = nil
    ) throws {
        let bench = try Bench(in: folder)
        self.bench = bench
        let recorder = EventRecorder(journal: bench.journal)
        let late = Late()
        let answers = FirstAnswers(patience: patience) { late.pipeline?.answerWithoutAPI($0) }
        self.answers = answers
        let client = try endpoint.map {
            try PlingsClient(endpoint: $0, caFile: nil, timeout: .seconds(10), userAgent: "test")
        }
        forwarder = Forwarder(
            client: client, store: bench.store, journal: bench.journal, answers: answers,
            recorder: recorder,
            settings: Forwarder.Settings(
                patience: patience, cacheLimit: .seconds(3600), scansPerMinute: 6000,
                liveShare: 0.25),
            log: .quiet)
        pipeline = ScanPipeline(
            settings: ScanPipeline.Settings(
                hosts: ["s.plings.io"], announcesPresent: announcesPresent,
                cacheLimit: .seconds(3600), flapLimit: flapLimit),
            journal: bench.journal, recorder: recorder, forwarder: forwarder, answers: answers,
            location: StationLocation(StationConfiguration.defaults.location), log: .quiet)
        late.pipeline = pipeline
        bench.journal.onFailureChange = { [forwarder] fails in forwarder.storing(!fails) }
    }

    private final class Late {
        weak var pipeline: ScanPipeline?
    }

    /// Starts delivering with a token.
    func start(token: String = "t1") throws {
        forwarder.tokenChanged(try BearerToken(token), problem: nil)
        forwarder.start()
    }

    /// Ends what is under way, so that nothing outlives the test.
    func stop() async {
        forwarder.stop()
        await journal.settle()
    }

    // MARK: Tags

    /// A tag that arrives with a URL on it.
    ///
    /// - Returns: The name of its presence.
    @discardableResult
    func tap(
        _ key: String = Sample.key, uid: String = "04a1", process: Int = 1, present: Bool? = nil
    ) -> String {
        arrive(uid: uid, process: process) {
            $0.ndef = Hex.encode(Record.message([.uri(Sample.url(key))]))
            $0.present = present
        }
    }

    @discardableResult
    func arrive(
        uid: String = "04a1", process: Int = 1,
        _ change: (inout ReaderMessage.Arrival) -> Void = { _ in }
    ) -> String {
        lastToken += 1
        var arrival = ReaderMessage.Arrival(
            device: Sample.reader.id, token: "t\(lastToken)", medium: "nfc",
            bootNanoseconds: Clocks.bootNanoseconds())
        arrival.technology = "iso14443a"
        arrival.uid = uid
        change(&arrival)
        pipeline.arrived(arrival, on: Sample.reader, process: process)
        return arrival.token
    }

    func depart(_ token: String, process: Int = 1) {
        pipeline.departed(
            ReaderMessage.Departure(
                device: Sample.reader.id, token: token, bootNanoseconds: Clocks.bootNanoseconds()),
            process: process)
    }

    /// A scan of a key, once it is published.
    ///
    /// - Returns: The scan's id.
    func scan(_ key: String = Sample.key) async -> String {
        let before = listener.lines.count
        depart(tap(key))
        await journal.settle()
        let published = listener.events.dropFirst(before)
        return published.first { $0.type == "scan" }?.scan ?? "no scan"
    }

    /// What was published of tags, in a few words each.
    var story: [String] { listener.events.filter { $0.type != "api" }.map(\.words) }

    /// The states of the API that were published.
    var apiStory: [String] { listener.events.filter { $0.type == "api" }.map(\.words) }
}
