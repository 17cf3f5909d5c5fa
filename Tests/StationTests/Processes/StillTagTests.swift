import Glibc
import Platform
import TestRig
import Testing

@Suite("Tags that lie still on real readers", .serialized)
struct StillTagTests {
    @Test("two tags are told once while the reader program and plingsd are killed in turn")
    func inTurn() async throws {
        try await StillTagRig.play { rig in
            let ports = rig.readers.ports
            try await rig.tags.insert(ports[0], StillTagRig.tag("04000000000001"))
            let first = try rig.scan(of: "04000000000001")
            try await rig.tags.insert(ports[1], StillTagRig.tag("04000000000002"))
            let second = try rig.scan(of: "04000000000002")
            for signal in [SIGKILL, SIGTERM] {
                try rig.killReaderProgram()
                for port in ports { rig.waitUntilLookedAt(port) }
                rig.end(signal)
                try rig.start()
                for port in ports { rig.waitUntilLookedAt(port) }
            }
            try rig.checkPace()
            try await rig.tags.remove(ports[0])
            try rig.departure(of: first)
            try await rig.tags.remove(ports[1])
            try rig.departure(of: second)
            #expect(try rig.allScans() == ["04000000000001", "04000000000002"])
            #expect(rig.client.problems.isEmpty)
        }
    }

    @Test("a reader program that dies again and again within seconds loses no tag")
    func diesAgain() async throws {
        try await StillTagRig.play(["acr122u"]) { rig in
            let port = rig.readers.ports[0]
            try await rig.tags.insert(port, StillTagRig.tag("04000000000001"))
            let scan = try rig.scan(of: "04000000000001")
            for _ in 0..<4 { try rig.killReaderProgram() }
            rig.waitUntilLookedAt(port)
            try rig.checkPace()
            try await rig.tags.remove(port)
            try rig.departure(of: scan)
            #expect(try rig.allScans().count == 1)
            #expect(rig.client.problems.isEmpty)
        }
    }

    @Test("pcscd restarted: the reader is told to be away, the tag on it is not told anew")
    func serviceRestarts() async throws {
        try await StillTagRig.play(["acr122u"]) { rig in
            let port = rig.readers.ports[0]
            try await rig.tags.insert(port, StillTagRig.tag("04000000000001"))
            let scan = try rig.scan(of: "04000000000001")
            for _ in 0..<2 {
                try await rig.restartService(tags: [port: "04000000000001"])
                rig.waitUntilLookedAt(port)
            }
            try rig.checkPace()
            try await rig.tags.remove(port)
            try rig.departure(of: scan)
            #expect(try rig.allScans().count == 1)
            let away = try rig.logged("reader").filter { $0["state"] == .string("disconnected") }
            let reasons = Set(away.compactMap { $0["reason"]?.string })
            #expect(reasons == ["pcscd is not running"])
            #expect(rig.client.problems.isEmpty)
        }
    }

    @Test("pcscd away for good: the tag is lost after seconds, and its reader's return is a scan")
    func serviceAway() async throws {
        let rig = try await StillTagRig(["acr122u"])
        let port = rig.readers.ports[0]
        try await rig.tags.insert(port, StillTagRig.tag("04000000000001"))
        let scan = try rig.scan(of: "04000000000001")
        try await rig.readers.stop()
        try rig.departure(of: scan, lost: true)
        try await rig.readers.restart()
        try await rig.tags.insert(port, StillTagRig.tag("04000000000001"))
        _ = try rig.scan(of: "04000000000001")
        #expect(rig.client.problems.isEmpty)
    }

    @Test("a tag swapped while plingsd was down: the new one is a scan, the old one is lost")
    func swapped() async throws {
        let rig = try await StillTagRig(["acr122u"])
        let port = rig.readers.ports[0]
        try await rig.tags.insert(port, StillTagRig.tag("04000000000001"))
        let scan = try rig.scan(of: "04000000000001")
        rig.end(SIGKILL)
        try await rig.tags.insert(port, StillTagRig.tag("04000000000002"))
        try rig.start()
        _ = try rig.scan(of: "04000000000002")
        try rig.departure(of: scan, lost: true)
        #expect(try rig.allScans().count == 2)
        #expect(rig.client.problems.isEmpty)
    }

    private static let ends = [SIGTERM, SIGKILL]

    @Test("a tag removed while plingsd was down was held until plingsd ended", arguments: ends)
    func removed(signal: Int32) async throws {
        let rig = try await StillTagRig(["acr122u"])
        let port = rig.readers.ports[0]
        let begin = Clocks.bootNanoseconds()
        try await rig.tags.insert(port, StillTagRig.tag("04000000000001"))
        let scan = try rig.scan(of: "04000000000001")
        rig.end(signal)
        let end = Clocks.bootNanoseconds()
        try await rig.tags.remove(port)
        try rig.start()
        let held = try #require(
            try rig.departure(of: scan, lost: true)["heldMilliseconds"]?.integer)
        #expect(held <= Int64((end - begin) / 1_000_000))
        if signal == SIGTERM { #expect(held > 0) }
        #expect(rig.client.problems.isEmpty)
    }

    @Test("a reader unplugged while plingsd was down takes its tag with it, the others keep theirs")
    func unplugged() async throws {
        let rig = try await StillTagRig()
        let ports = rig.readers.ports
        try await rig.tags.insert(ports[0], StillTagRig.tag("04000000000001"))
        let first = try rig.scan(of: "04000000000001")
        try await rig.tags.insert(ports[1], StillTagRig.tag("04000000000002"))
        let second = try rig.scan(of: "04000000000002")
        rig.end(SIGTERM)
        try await rig.readers.unplug(ports[1])
        try rig.start(readers: 1)
        try rig.departure(of: second, lost: true, within: .seconds(40))
        try await rig.tags.remove(ports[0])
        try rig.departure(of: first)
        #expect(rig.client.problems.isEmpty)
    }
}
