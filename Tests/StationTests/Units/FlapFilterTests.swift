import Testing

@testable import Station

@Suite("Tags that come and go")
struct FlapFilterTests {
    private static let second = Sample.second
    private static let tag = FlapFilter.Tag(device: "usb-1", uid: "04a1", digest: "d")

    /// What becomes of arrivals at these times.
    private func verdicts(
        _ filter: inout FlapFilter, _ times: [UInt64], _ tag: FlapFilter.Tag = tag
    ) -> [FlapFilter.Verdict] {
        times.map { filter.arrived(tag, at: $0) }
    }

    @Test("the sixth arrival within three seconds is the first that is left out")
    func limit() {
        var filter = FlapFilter(limit: 5)
        let times = (1...8).map { UInt64($0) * Self.second / 10 }
        #expect(
            verdicts(&filter, times)
                == [.scan, .scan, .scan, .scan, .scan, .suppressedNow, .suppressed, .suppressed])
    }

    @Test("five in any three seconds may go on for ever")
    func slow() {
        var filter = FlapFilter(limit: 5)
        let times = (1...100).map { UInt64($0) * 600_000_000 }
        #expect(Set(verdicts(&filter, times)) == [.scan])
    }

    @Test("it ends when the tag has neither come nor gone for three seconds, with the count")
    func quiet() {
        var filter = FlapFilter(limit: 1)
        _ = verdicts(&filter, [Self.second, 2 * Self.second, 3 * Self.second])
        #expect(filter.nextQuiet == 6 * Self.second)
        filter.departed(Self.tag, at: 4 * Self.second)
        #expect(filter.nextQuiet == 7 * Self.second)
        #expect(filter.quiet(at: 7 * Self.second - 1) == [])
        #expect(
            filter.quiet(at: 7 * Self.second) == [FlapFilter.Ended(device: "usb-1", count: 2)])
        #expect(filter.nextQuiet == nil)
        #expect(filter.quiet(at: 9 * Self.second) == [], "it is told once")
        #expect(verdicts(&filter, [9 * Self.second]) == [.scan])
    }

    private static let others = [
        FlapFilter.Tag(device: "usb-2", uid: "04a1", digest: "d"),
        FlapFilter.Tag(device: "usb-1", uid: "04a2", digest: "d"),
        FlapFilter.Tag(device: "usb-1", uid: "04a1", digest: "e"),
        FlapFilter.Tag(device: "usb-1", uid: nil, digest: "d"),
    ]

    @Test("another reader, another UID and other contents are told", arguments: others)
    func other(_ other: FlapFilter.Tag) {
        var filter = FlapFilter(limit: 1)
        _ = verdicts(&filter, [1, 2, 3])
        #expect(verdicts(&filter, [4], other) == [.scan])
    }

    @Test("a limit of 0 leaves nothing out, and one that is lowered holds from then on")
    func off() {
        var filter = FlapFilter(limit: 0)
        #expect(Set(verdicts(&filter, Array(1...100))) == [.scan])
        filter.limit = 2
        #expect(verdicts(&filter, [101, 102, 103]) == [.scan, .scan, .suppressedNow])
        filter.limit = 0
        #expect(verdicts(&filter, [104]) == [.scan])
        #expect(filter.quiet(at: 4 * Self.second) == [FlapFilter.Ended(device: "usb-1", count: 1)])
    }

    @Test("tags with a new UID each time take no more memory than a few hundred tags")
    func manyTags() {
        var filter = FlapFilter(limit: 5)
        for number in 1...10_000 {
            let tag = FlapFilter.Tag(device: "usb-1", uid: "\(number)", digest: "d")
            #expect(filter.arrived(tag, at: UInt64(number)) == .scan)
        }
        #expect(filter.count == FlapFilter.tagLimit)
        var other = FlapFilter(limit: 1)
        for number in 1...1_000 {
            let tag = FlapFilter.Tag(device: "usb-1", uid: "\(number)", digest: "d")
            _ = verdicts(&other, [1, 2, 3], tag)
        }
        #expect(other.count == FlapFilter.tagLimit)
        #expect(other.quiet(at: 4 * Self.second).count == FlapFilter.tagLimit)
    }

    @Test("a clock that stands still, or a reader that dates all its tags alike, does no harm")
    func oddTimes() {
        var filter = FlapFilter(limit: 2)
        #expect(verdicts(&filter, [9, 9, 9, 3]) == [.scan, .scan, .suppressedNow, .suppressed])
    }
}
