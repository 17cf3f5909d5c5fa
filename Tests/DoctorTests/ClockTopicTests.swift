import Testing

@testable import Doctor

@Suite("What is said of the clock")
struct ClockTopicTests {
    private static let now: Int64 = 1_780_000_000
    private static let running =
        "Id=systemd-timesyncd.service\nLoadState=loaded\nActiveState=active\n"
    private static let stopped =
        "Id=systemd-timesyncd.service\nLoadState=loaded\nActiveState=inactive\n"

    struct Example: Sendable, CustomTestStringConvertible {
        var isSet = true
        var installed: Int64? = ClockTopicTests.now - 1000
        var services = ""
        var date: Int64?
        var age: Int64 = 0
        let check: String
        let text: String

        var testDescription: String { check }
    }

    private static let examples = [
        Example(
            check: "clock-good",
            text: "the clock was set from the network since the machine started"),
        Example(
            isSet: false, date: now - 120, check: "clock-agrees",
            text: "nothing has set the clock since the machine started; it agrees with the API's"),
        Example(
            date: now - 121, check: "clock-off",
            text: "this machine's clock is 2 minutes ahead of the API's: scans get wrong times"),
        Example(
            date: now + 13 * 86_400, check: "clock-off",
            text: "this machine's clock is 13 days behind the API's: scans get wrong times"),
        Example(
            date: now + 200, age: 100, check: "clock-good",
            text: "the clock was set from the network since the machine started"),
        Example(
            isSet: false, installed: now + 86_401, services: running,
            check: "clock-before-installation",
            text: "this machine's clock is wrong: it says 2026-05-28T20:26:40Z, which is before "
                + "this program was installed"),
        Example(
            isSet: false, services: running, check: "clock-waiting",
            text: "systemd-timesyncd.service runs, but has not set the clock since the machine "
                + "started: no time server answers"),
        Example(
            isSet: false, services: stopped, check: "clock-unset",
            text: "nothing sets this machine's clock: no time service is running, and after a "
                + "power cut scans get wrong times"),
        Example(
            isSet: false, check: "clock-unknown",
            text: "whether the clock was set since the machine started is not known: the kernel "
                + "says no, and there is no systemd to ask"),
    ]

    @Test("is what the clock, the API and the time service together tell", arguments: examples)
    func finding(_ example: Example) {
        let facts = ClockFacts(
            now: Self.now * 1000, isSet: example.isSet, installed: example.installed)
        let finding = facts.finding(
            services: Services(show: example.services), apiDate: example.date, age: example.age)
        #expect(finding.check == example.check)
        #expect(finding.text == example.text)
    }

    @Test("a clock that was not set, or is before the installation, may spoil certificates")
    func suspect() {
        #expect(ClockFacts(now: 0, isSet: false).isSuspect)
        #expect(ClockFacts(now: 0, isSet: true, installed: 90_000).isSuspect)
        #expect(!ClockFacts(now: 0, isSet: true, installed: 86_000).isSuspect)
    }

    @Test("spans are said in their largest unit")
    func spans() {
        let spans = [1, 59, 60, 3599, 7200, 86_400, 200_000].map { ClockFacts.span($0) }
        #expect(
            spans == [
                "1 second", "59 seconds", "1 minute", "59 minutes", "2 hours", "1 day", "2 days",
            ])
    }
}
