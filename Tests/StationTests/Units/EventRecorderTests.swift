import LineProtocols
import Platform
import Scanning
import Storage
import Testing

@testable import Station

@Suite("When events happened")
@LoopActor
struct EventRecorderTests {
    private let recorder: EventRecorder
    private let bench: Bench

    init() throws {
        bench = try Bench()
        recorder = EventRecorder(journal: bench.journal)
    }

    @Test("a detection is dated by both clocks, to the millisecond")
    func detection() {
        let now = recorder.moment()
        let ago: UInt64 = 1_234_000_000
        let moment = recorder.moment(atBoot: now.bootNanoseconds - ago)
        #expect(moment.bootNanoseconds == now.bootNanoseconds - ago)
        #expect(moment.bootID == Clocks.bootID)
        let back = now.at.milliseconds - moment.at.milliseconds
        #expect((1232...1236).contains(back))
    }

    @Test("a time to come, or of more than an hour ago, is taken as now")
    func impossible() {
        let now = recorder.moment()
        for time in [UInt64.max, now.bootNanoseconds + 3600 * Sample.second] {
            let moment = recorder.moment(atBoot: time)
            #expect(moment.bootNanoseconds >= now.bootNanoseconds)
            #expect(moment.bootNanoseconds < now.bootNanoseconds + 3600 * Sample.second)
        }
        let longAgo = now.bootNanoseconds > 3600 * Sample.second ? UInt64(0) : nil
        if let longAgo {
            #expect(recorder.moment(atBoot: longAgo).bootNanoseconds >= now.bootNanoseconds)
        }
    }

    @Test("an event is kept with what filters go by, and says so where the clock is not trusted")
    func draft() throws {
        let event = Event.departure(
            DepartureEvent(scan: "s1", reader: Sample.reader, heldMilliseconds: 7, lost: nil))
        let draft = EventRecorder.draft(
            TimedEvent(at: Sample.moment(0).at, clockTrusted: false, event: event))
        #expect(draft.type == "departure")
        #expect(draft.readerID == "usb-1")
        #expect(draft.readerName == "door")
        #expect(draft.scan == "s1")
        #expect(draft.at == Sample.moment(0).at)
        let text = String(decoding: draft.body, as: UTF8.self)
        #expect(text.contains(#""at":"\#(Sample.moment(0).at.text)""#))
        #expect(text.contains(#""clock":"untrusted""#))
        let trusted = EventRecorder.draft(
            TimedEvent(at: Sample.moment(0).at, clockTrusted: true, event: event))
        #expect(!String(decoding: trusted.body, as: UTF8.self).contains("clock"))
    }
}
