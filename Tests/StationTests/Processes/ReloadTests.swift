import Glibc
import Platform
import TestRig
import Testing

@Suite("Reloading the configuration", .serialized)
struct ReloadTests {
    private func watch(_ station: StationProcess) throws -> ProtocolClient {
        let client = try ProtocolClient(path: station.socket)
        _ = try client.call("subscribe", #"{"since":"start"}"#)
        return client
    }

    /// A reader with a tag on it that lies still.
    private func reader(_ folder: TestFolder, _ name: String, uid: String) -> String {
        Setting.script(
            folder, name: name,
            [
                Setting.introduction, Setting.device("device-\(name)"),
                Setting.arrive("device-\(name)", token: "1", url: Setting.url("ABC"), uid: uid),
            ], then: "echo $$ > \(folder.path)/\(name).pid; exec cat")
    }

    private func wait(
        _ client: ProtocolClient, _ reader: String, _ state: String
    ) throws -> JSONValue {
        while true {
            let event = try client.nextEvent("reader")
            if event["reader"]?["name"]?.string == reader, event["state"]?.string == state {
                return event
            }
        }
    }

    private func contents(_ file: String) -> String {
        let cat = RunningProgram(["cat", file])
        cat.wait()
        return cat.output
    }

    @Test("readers are added and removed; one that is not changed goes on, and its tag with it")
    func readers() throws {
        let folder = TestFolder()
        let one = reader(folder, "one", uid: "0401")
        let station = StationProcess(in: folder, one + reader(folder, "two", uid: "0402"))
        let client = try watch(station)
        var scans: [String: String] = [:]
        for _ in 0..<2 {
            let scan = try client.nextEvent("scan")
            scans[scan["reader"]?["name"]?.string ?? ""] = scan["scan"]?.string
        }
        let pid = contents("\(folder.path)/one.pid")
        station.reload(reader(folder, "three", uid: "0403") + one)
        let gone = try wait(client, "two", "disconnected")
        #expect(gone["reason"]?.string == "it is not in the configuration any more")
        #expect(try client.nextEvent("scan")["reader"]?["name"]?.string == "three")
        let departure = try client.nextEvent("departure")
        #expect(departure["scan"]?.string == scans["two"])
        #expect(departure["lost"] == .bool(true))
        let readers = try client.call("status")["readers"]?.array ?? []
        #expect(readers.compactMap { $0["name"]?.string }.sorted() == ["one", "three"])
        #expect(contents("\(folder.path)/one.pid") == pid, "its program was not started anew")
        #expect(try client.call("status")["counters"]?["scans"] == .integer(3))
        #expect(client.problems.isEmpty)
    }

    @Test("a reader that is changed is started anew, and its tag is not told anew")
    func changedReader() throws {
        let folder = TestFolder()
        let station = StationProcess(in: folder, reader(folder, "one", uid: "0401"))
        let client = try watch(station)
        let scan = try client.nextEvent("scan")
        let pid = contents("\(folder.path)/one.pid")
        let text = reader(folder, "one", uid: "0401").replacing(
            "one.sh\"]", with: "one.sh\", \"--faster\"]")
        station.reload(text)
        let away = try wait(client, "one", "disconnected")
        #expect(away["reason"]?.string == "its settings have changed")
        _ = try wait(client, "one", "ready")
        #expect(Poll.until { !["", pid].contains(contents("\(folder.path)/one.pid")) })
        station.reload(text + "[scan]\nannounce_present = false\n")
        // The tag's going is the next news, when its reader goes.
        station.reload(Setting.alone)
        let departure = try client.nextEvent("departure")
        #expect(departure["scan"] == scan["scan"])
        #expect(try client.call("status")["counters"]?["scans"] == .integer(1))
        #expect(client.problems.isEmpty)
    }

    @Test(
        "a tag that lies on a PC/SC reader is told once, whatever is reloaded, and by the new name")
    func stillTag() async throws {
        let readers = try await VirtualReaders(["acr122u"])
        let tags = try VirtualTags()
        let port = readers.ports[0]
        let station = StationProcess("", environment: readers.environment)
        let client = try watch(station)
        let reader = try client.nextEvent("reader")
        try await tags.insert(port, StillTagRig.tag("04000000000001"))
        let scan = try client.nextEvent("scan")
        let asked = tags.events(port).count { $0.ev == "apdu" }
        let entry = "[[reader]]\nkind = \"pcsc\"\nname = \"gate\"\nmatch = \"ACS*\"\n"
        station.reload(entry + "[scan]\ndeparture_grace = \"20ms\"\n")
        _ = try wait(client, "gate", "ready")
        #expect(Poll.until { tags.events(port).count { $0.ev == "apdu" } > asked })
        try await tags.remove(port)
        let departure = try client.nextEvent("departure")
        #expect(departure["scan"] == scan["scan"])
        #expect(departure["lost"] == nil)
        #expect(departure["reader"]?["id"] == reader["reader"]?["id"])
        #expect(try client.call("status")["counters"]?["scans"] == .integer(1))
        #expect(client.problems.isEmpty)
    }

    @Test("location, hosts, patience and log level hold at once; others are named, and stay")
    func settings() throws {
        let folder = TestFolder()
        let notify = NotifySocket(in: folder)
        let station = StationProcess(in: folder, Setting.alone, environment: notify.environment)
        let client = try watch(station)
        #expect(try client.nextEvent("location")["state"] == .string("none"))
        station.reload(
            Setting.alone + """
                [station]
                id = "another"
                [api]
                endpoint = "https://api.example/"
                answer_patience = "1s"
                [location]
                source = "fixed"
                latitude = 1.5
                longitude = 2.5
                [scan]
                hosts = ["tags.example"]
                [log]
                level = "debug"

                """)
        let location = try client.nextEvent("location")
        #expect(location["location"]?["latitude"] == .number(1.5))
        _ = try client.call(
            "scan.submit", #"{"url":"https://tags.example/?t=n&i=ABC&p=1.2"}"#)
        let scan = try client.nextEvent("scan")
        #expect(scan["identifier"]?["identifier"] == .string("ABC"))
        #expect(scan["location"]?["longitude"] == .number(2.5))
        let log = station.program.errors
        for setting in ["[station] id", "[api] endpoint"] {
            let line = "warning: a changed setting takes a restart setting=\"\(setting)\""
            #expect(log.contains(line), "\(log)")
        }
        #expect(
            try ProtocolClient(path: station.socket).hello["station"] == client.hello["station"])
        #expect(try client.call("status")["api"]?["state"] == .string("notConfigured"))
        let word = "info: the configuration was read again"
        #expect(Poll.until { station.program.errors.contains(word) })
        station.reload(Setting.alone + "[log]\nlevel = \"warning\"\n")
        #expect(try client.nextEvent("location")["state"] == .string("none"))
        #expect(notify.message(with: "RELOADING=1") != nil)
        #expect(station.program.errors.count(of: word) == 1, "less is logged now")
        #expect(client.problems.isEmpty)
    }

    @Test("a bad file changes nothing; the place of the mistake is logged and told to systemd")
    func badFile() throws {
        let folder = TestFolder()
        let notify = NotifySocket(in: folder)
        let station = StationProcess(
            in: folder, reader(folder, "one", uid: "0401"), environment: notify.environment)
        let client = try watch(station)
        _ = try client.nextEvent("scan")
        let ready = notify.message(with: "READY=1") ?? []
        #expect(ready.contains { $0.hasPrefix("STATUS=listening on") }, "\(ready)")
        let before = Clocks.monotonicNanoseconds() / 1000
        station.reload("[location]\nsource = \"fixed\"\n[scan]\nhostz = []\n")
        let begin = notify.message(with: "RELOADING=1") ?? []
        let time = begin.first { $0.hasPrefix("MONOTONIC_USEC=") }?.split(separator: "=").last
        #expect((time.flatMap { UInt64($0) } ?? 0) >= before)
        let end = notify.message(with: "READY=1") ?? []
        let status = "STATUS=the configuration was not taken: \(station.configuration):6:"
        #expect(end.contains { $0.hasPrefix(status) }, "\(end)")
        let log = station.program.errors
        #expect(log.contains("error: the configuration is not taken, the old one stays"))
        for place in [":6:", ":8:1: "] {
            #expect(log.contains(station.configuration + place), "\(log)")
        }
        let readers = try client.call("status")["readers"]?.array
        #expect(readers?.compactMap { $0["state"]?.string } == ["ready"])
        // Once it is mended it is taken.
        station.reload("[location]\nsource = \"none\"\n" + reader(folder, "one", uid: "0401"))
        #expect(notify.message(with: "RELOADING=1") != nil)
        #expect(notify.message(with: "STATUS=listening on") != nil)
        #expect(try client.call("status")["counters"]?["scans"] == .integer(1))
        #expect(client.problems.isEmpty)
    }

    @Test("many signals in a row end with the last configuration, and nothing is lost")
    func manySignals() throws {
        let folder = TestFolder()
        let station = StationProcess(in: folder, Setting.alone)
        let client = try watch(station)
        for number in 1...30 {
            let place = "source = \"fixed\"\nlatitude = \(number).5\nlongitude = 0\n"
            station.reload(Setting.alone + "[location]\n" + place)
        }
        let isTaken = Poll.until {
            let status = try? client.call("status")["location"]?["location"]
            return status?["latitude"] == .number(30.5)
        }
        #expect(isTaken)
        #expect(client.problems.isEmpty)
    }
}

extension String {
    /// How often a text stands in this one.
    fileprivate func count(of text: String) -> Int { ranges(of: text).count }
}
