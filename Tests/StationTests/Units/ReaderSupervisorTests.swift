import LineProtocols
import Platform
import Scanning
import TestRig
import Testing

@testable import Station

@Suite("A reader program and its devices")
@LoopActor
struct ReaderSupervisorTests {
    private nonisolated static let hello =
        #"{"reader":{"protocol":1,"program":"test","version":"1"}}"#
    private nonisolated static let ready =
        #"{"device":{"id":"usb-1","name":"ACS","state":"ready"}}"#
    private nonisolated static let arrive =
        #"{"arrive":{"device":"usb-1","token":"t1","medium":"nfc","bootNanoseconds":1}}"#
    private nonisolated static let depart =
        #"{"depart":{"device":"usb-1","token":"t1","bootNanoseconds":2}}"#

    private let folder: TestFolder

    init() throws {
        folder = TestFolder()
    }

    /// A supervisor of a shell script, and what it reports in a few words each.
    @LoopActor
    private final class Supervised {
        private(set) var reports: [String] = []
        private(set) var supervisor: ReaderSupervisor?
        private var number = 0

        static func plan(_ script: String, name: String = "door") -> ReaderPlan {
            ReaderPlan(
                kind: "exec", program: "test", command: ["/bin/sh", "-c", script],
                names: [ReaderPlan.Naming(match: "*", name: name)])
        }

        init(_ script: String) {
            supervisor = ReaderSupervisor(
                plan: Self.plan(script), log: .quiet, nextNumber: { [unowned self] in next() },
                report: { [weak self] in self?.take($0) })
            supervisor?.start()
        }

        private func next() -> Int {
            number += 1
            return number
        }

        private func take(_ report: ReaderSupervisor.Report) {
            switch report {
            case .state(let event):
                reports.append(
                    [event.reader.id, event.state.rawValue, event.reason].compactMap { $0 }
                        .joined(separator: " "))
            case .ready(let device): reports.append("\(device) can see")
            case .arrived(let arrival, let reader, let process):
                reports.append("\(arrival.token) came to \(reader.name), process \(process)")
            case .departed(let departure, let process):
                reports.append("\(departure.token) went, process \(process)")
            case .gone(let device): reports.append("\(device) is gone")
            case .occupied(let device, _): reports.append("\(device) is occupied")
            case .interrupted(let device, _): reports.append("\(device) is interrupted")
            case .looked: break
            case .processEnded(let process, _, _): reports.append("process \(process) ended")
            }
        }

        func reported(_ count: Int) async -> [String] {
            _ = await eventually { reports.count >= count }
            return reports
        }

        /// Ends it; false where it does not end.
        func stop() async -> Bool {
            var isStopped = false
            supervisor?.stop { isStopped = true }
            return await eventually { isStopped }
        }
    }

    private func print(_ lines: String...) -> String {
        lines.map { "echo '\($0)'" }.joined(separator: "\n") + "\n"
    }

    @Test("what the program tells is reported in its order, under the configured name")
    func messages() async {
        let supervised = Supervised(
            print(Self.hello, Self.ready, Self.arrive, #"{"alive":{}}"#, Self.depart)
                + print(#"{"device":{"id":"usb-1","name":"ACS","state":"disconnected"}}"#) + "cat")
        #expect(
            await supervised.reported(6) == [
                "usb-1 ready", "usb-1 can see", "t1 came to door, process 1",
                "t1 went, process 1", "usb-1 disconnected", "usb-1 is gone",
            ])
        #expect(
            supervised.supervisor?.readers == [
                Status.Reader(
                    id: "usb-1", name: "door", kind: "exec", state: .disconnected, reason: nil,
                    signals: [])
            ], "readers that were seen stay listed")
        #expect(await supervised.stop())
    }

    @Test("a program whose devices have other ids all the time is served, and few are kept")
    func newIDs() async {
        let supervised = Supervised(
            print(Self.hello)
                + """
                for n in $(seq 10 149); do
                echo '{"device":{"id":"d'$n'","name":"D","state":"ready"}}'
                echo '{"device":{"id":"d'$n'","name":"D","state":"disconnected"}}'
                done
                """ + "\n" + print(Self.ready) + "cat")
        // Each is told ready, can see, disconnected, gone.
        #expect(
            await supervised.reported(4 * 140 + 2).suffix(2) == ["usb-1 ready", "usb-1 can see"])
        #expect(supervised.supervisor?.readers.count == 64)
        #expect(await supervised.stop())
    }

    @Test("what a program says of a device is kept within bounds")
    func bounded() async {
        let long = String(repeating: "x", count: 20_000)
        let device =
            #"{"device":{"id":"usb-1","name":"\#(long)","state":"degraded","reason":"\#(long)""#
            + #","signals":["\#(long)"]}}"#
        let other = #"{"device":{"id":"\#(long)","name":"A","state":"ready"}}"#
        let supervised = Supervised(print(Self.hello, other, device) + "cat")
        _ = await supervised.reported(1)
        let readers = supervised.supervisor?.readers ?? []
        #expect(readers.map(\.id) == ["usb-1"])
        #expect(readers.first?.reason == String(repeating: "x", count: 1024))
        #expect(readers.first?.signals == [String(repeating: "x", count: 32)])
        #expect(await supervised.stop())
    }

    @Test("a state is told once, a new reason for it again")
    func states() async {
        let degraded = #"{"device":{"id":"usb-1","name":"ACS","state":"degraded","reason":"r"}}"#
        let supervised = Supervised(
            print(Self.hello, degraded, degraded)
                + print(degraded.replacing("\"r\"", with: "\"s\"")) + "cat")
        #expect(await supervised.reported(2) == ["usb-1 degraded r", "usb-1 degraded s"])
        #expect(await supervised.stop())
    }

    @Test("a program that dies is started again, and its devices are away meanwhile")
    func restarted() async {
        let supervised = Supervised(
            print(Self.hello, Self.ready) + "[ -e '\(folder.path)/second' ] && exec cat\n"
                + "touch '\(folder.path)/second'\nexit 3")
        #expect(
            await supervised.reported(6) == [
                "usb-1 ready", "usb-1 can see", "process 1 ended",
                "usb-1 disconnected exit status 3", "usb-1 ready", "usb-1 can see",
            ])
        #expect(supervised.supervisor?.readers.map(\.state) == [.ready])
        #expect(await supervised.stop())
    }

    @Test("a device that its program can't reach for a moment is told as such")
    func interrupted() async {
        let away =
            #"{"device":{"id":"usb-1","name":"A","state":"disconnected","interrupted":true}}"#
        let back = #"{"device":{"id":"usb-1","name":"A","state":"ready","occupied":true}}"#
        let supervised = Supervised(print(Self.hello, Self.ready, away, back) + "cat")
        #expect(
            await supervised.reported(7) == [
                "usb-1 ready", "usb-1 can see", "usb-1 disconnected", "usb-1 is interrupted",
                "usb-1 ready", "usb-1 can see", "usb-1 is occupied",
            ])
        #expect(await supervised.stop())
    }

    // MARK: Changed plans

    @Test("another name is taken at once, and the program goes on")
    func renamed() async {
        let script = print(Self.hello, Self.ready) + "cat"
        let supervised = Supervised(script)
        _ = await supervised.reported(2)
        supervised.supervisor?.change(to: Supervised.plan(script, name: "gate"))
        #expect(supervised.supervisor?.readers.map(\.name) == ["gate"])
        #expect(supervised.reports == ["usb-1 ready", "usb-1 can see", "usb-1 ready"])
        #expect(await supervised.stop())
    }

    @Test("another command replaces the program at once, and no departure is told for that")
    func replacedByPlan() async {
        // It takes leave of its tag as it is ended, which is not the tag's going.
        let supervised = Supervised(
            print(Self.hello, Self.ready, Self.arrive) + "cat >/dev/null\n" + print(Self.depart)
                + print(#"{"device":{"id":"usb-1","name":"ACS","state":"disconnected"}}"#))
        _ = await supervised.reported(3)
        supervised.supervisor?.change(
            to: Supervised.plan(print(Self.hello, Self.ready) + "exec cat"))
        #expect(
            await supervised.reported(7).dropFirst(3) == [
                "process 1 ended", "usb-1 disconnected its settings have changed",
                "usb-1 ready", "usb-1 can see",
            ])
        #expect(await supervised.stop())
    }

    @Test("a program that waits for its next try is tried at once with another command")
    func replacedWhileAway() async {
        let supervised = Supervised("exit 1")
        // After so many deaths the next try is seconds away.
        #expect(await eventually { supervised.reports.filter { $0.hasSuffix("ended") }.count >= 4 })
        supervised.supervisor?.change(
            to: Supervised.plan(print(Self.hello, Self.ready) + "exec cat"))
        #expect(await eventually { supervised.reports.last == "usb-1 can see" })
        #expect(await supervised.stop())
    }

    @Test("a reader that is not wanted any more is told as gone, with the reason")
    func retired() async {
        let supervised = Supervised(print(Self.hello, Self.ready) + "cat")
        _ = await supervised.reported(2)
        var isStopped = false
        supervised.supervisor?.stop(retirement: "nobody wants it") { isStopped = true }
        #expect(await eventually { isStopped })
        #expect(
            supervised.reports.suffix(2) == [
                "process 1 ended", "usb-1 disconnected nobody wants it",
            ])
    }

    @Test("a device that does not come back with its program stays away")
    func deviceNotBack() async {
        let other = #"{"device":{"id":"usb-2","name":"SCM","state":"ready"}}"#
        let supervised = Supervised(
            print(Self.hello) + "if [ -e '\(folder.path)/second' ]; then\n" + print(other)
                + "exec cat\nfi\n" + print(Self.ready)
                + "touch '\(folder.path)/second'\nkill -9 $$")
        #expect(
            await supervised.reported(6).suffix(3) == [
                "usb-1 disconnected signal 9", "usb-2 ready", "usb-2 can see",
            ])
        let readers = supervised.supervisor?.readers ?? []
        #expect(readers.map(\.id) == ["usb-1", "usb-2"])
        #expect(readers.map(\.state) == [.disconnected, .ready])
        #expect(readers.first?.reason == "signal 9")
        #expect(await supervised.stop())
    }

    @Test("a program without a device is listed itself, with its trouble")
    func withoutDevice() async {
        let supervised = Supervised("exit 1")
        #expect(
            await supervised.reported(2).prefix(2) == [
                "process 1 ended", "test disconnected exit status 1",
            ])
        #expect(
            supervised.supervisor?.readers == [
                Status.Reader(
                    id: "test", name: "test", kind: "exec", state: .disconnected,
                    reason: "exit status 1", signals: [])
            ])
        #expect(await supervised.stop())
    }

    private nonisolated static let faults: [(script: String, says: String)] = [
        ("/bin/echo text", "the line is not JSON"),
        ("/bin/echo text; cat", "the line is not JSON"),
        ("echo '\(ready)'; cat", "the first line does not introduce the reader"),
    ]

    @Test("a program that breaks the protocol is shown with what it broke", arguments: faults)
    func protocolFault(_ row: (script: String, says: String)) async {
        let supervised = Supervised(row.script)
        let reports = await supervised.reported(2).prefix(2)
        #expect(reports == ["process 1 ended", "test disconnected \(row.says)"])
        _ = await eventually { supervised.reports.contains("process 2 ended") }
        #expect(supervised.supervisor?.readers.map(\.reason) == [row.says])
        #expect(await supervised.stop())
    }

    @Test("a missing program is said to be missing, once")
    func missing() async {
        let plan = ReaderPlan(
            kind: "exec", program: "none", command: ["/nowhere/none"], names: [])
        var reasons: [String?] = []
        let supervisor = ReaderSupervisor(plan: plan, log: .quiet, nextNumber: { 1 }) {
            if case .state(let event) = $0 { reasons.append(event.reason) }
        }
        supervisor.start()
        #expect(reasons == ["/nowhere/none is not there"])
        var isStopped = false
        supervisor.stop { isStopped = true }
        #expect(isStopped, "nothing runs that would have to end")
    }

    // MARK: Programs that break the protocol

    private nonisolated static let replacedCases: [String] = [
        "echo nonsense; cat",
        "echo '\(ready)'; cat",
        #"echo '{"reader":{"protocol":2,"program":"x","version":"1"}}'; cat"#,
        "echo '\(hello)'; head -c 70000 /dev/zero | tr '\\0' x; cat",
    ]

    @Test(
        "a program that breaks the protocol is replaced",
        arguments: replacedCases)
    func replaced(script: String) async {
        let supervised = Supervised(script)
        #expect(await supervised.reported(1).first == "process 1 ended")
        #expect(await supervised.stop())
    }

    @Test("a program that has broken the protocol is not listened to any more")
    func brokenOff() async {
        let supervised = Supervised(print(Self.hello, "nonsense", Self.ready) + "cat")
        #expect(await supervised.reported(1).first == "process 1 ended")
        #expect(await supervised.stop())
    }

    @Test("messages of a later version do no harm")
    func laterVersion() async {
        let supervised = Supervised(print(Self.hello, #"{"news":{}}"#, Self.ready) + "cat")
        #expect(await supervised.reported(2) == ["usb-1 ready", "usb-1 can see"])
        #expect(await supervised.stop())
    }

    @Test("messages that lack something, and complaints, do no harm")
    func unknown() async {
        let supervised = Supervised(
            print(Self.hello, #"{"arrive":{"device":"usb-1"}}"#, "")
                + "head -c 20000 /dev/zero | tr '\\0' x >&2; echo >&2\n"
                + print(Self.arrive, Self.ready, Self.arrive) + "cat")
        let reports = await supervised.reported(3)
        #expect(
            reports == [
                "usb-1 ready", "usb-1 can see", "t1 came to door, process 1",
            ], "a tag on a device that is not known is left out")
        #expect(await supervised.stop())
    }

    // MARK: Ends

    @Test("what a program wrote before its end counts")
    func lastWords() async {
        let supervised = Supervised(print(Self.hello, Self.ready, Self.arrive) + "exit 0")
        #expect(
            await supervised.reported(4).prefix(4) == [
                "usb-1 ready", "usb-1 can see", "t1 came to door, process 1", "process 1 ended",
            ])
        #expect(await supervised.stop())
    }

    @Test(
        "a program is ended whether it wants or not",
        arguments: ["cat", "trap '' TERM; while :; do sleep 1; done", "kill -STOP $$"])
    func stopped(script: String) async {
        let supervised = Supervised(print(Self.hello, Self.ready) + script)
        _ = await supervised.reported(2)
        #expect(await supervised.stop())
        #expect(supervised.reports.last == "process 1 ended")
    }
}
