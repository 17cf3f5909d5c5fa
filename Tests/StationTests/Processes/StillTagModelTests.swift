import Glibc
import Platform
import TestRig
import Testing

/// Real readers and the real daemon under a random sequence of tags and deaths, beside a model that
/// knows what lies where.
///
/// `PRESENCE_STEPS` and `PRESENCE_SEED` in the environment make it longer, and repeat a run.
@Suite("Tags over any sequence of deaths on real readers", .serialized)
struct StillTagModelTests {
    @Test("each tag is told once while it lies there, and its going once")
    func model() async throws {
        let environment = ProcessEnvironment.current
        let seed = environment["PRESENCE_SEED"].flatMap(UInt64.init) ?? Clocks.bootNanoseconds()
        let steps = environment["PRESENCE_STEPS"].flatMap(Int.init) ?? 12
        print("seed of the model of tags that lie still: \(seed)")
        try await StillTagRig.play { rig in
            var model = StillTagModel(rig, seed: seed)
            do {
                for _ in 0..<steps { try await model.step() }
                try await model.finish()
            } catch let slow as StillTagRig.TooSlow {
                throw slow
            } catch {
                Issue.record("\(error)")
            }
            #expect(model.departed.sorted() == model.scans.sorted(), "seed \(seed): \(model.story)")
            #expect(try rig.allScans() == model.told, "seed \(seed): \(model.story)")
            #expect(rig.client.problems.isEmpty)
        }
    }
}

/// What lies on the readers, what was told of it, and what may happen next.
private struct StillTagModel {
    let rig: StillTagRig
    private var random: SeededRandom
    private var lying: [Int: String] = [:]
    /// The scan that is open on each port, and of which tag.
    private var open: [Int: (scan: String, uid: String)] = [:]
    private var lastTag = 0
    /// A reader program that dies too often is started later each time.
    private var deaths = 0
    private(set) var scans: [String] = []
    /// The tags that were told, in their order.
    private(set) var told: [String] = []
    private(set) var departed: [String] = []
    private(set) var story: [String] = []

    init(_ rig: StillTagRig, seed: UInt64) {
        self.rig = rig
        random = SeededRandom(seed: seed)
    }

    mutating func step() async throws {
        let port = rig.readers.ports.randomElement(using: &random) ?? 0
        switch Int.random(in: 0..<8, using: &random) {
        case 0...1 where deaths < 4:
            story.append("kill the reader program")
            deaths += 1
            try rig.killReaderProgram()
            try look()
        case 2, 3:
            let signal = random.happens(0.5) ? SIGKILL : SIGTERM
            story.append("end plingsd with \(signal)")
            rig.end(signal)
            for port in rig.readers.ports where random.happens(0.3) { try await change(port) }
            deaths = 0
            try rig.start()
            try look()
        case 4:
            story.append("restart pcscd")
            for port in rig.readers.ports where random.happens(0.3) { toggle(port) }
            try await rig.restartService(tags: lying)
            try look()
        default:
            try await change(port)
            try look()
        }
    }

    /// Takes all tags away and waits for what is still to be told.
    mutating func finish() async throws {
        for port in rig.readers.ports where lying[port] != nil { try await change(port) }
        try look()
        let wanted = scans.count
        _ = Poll.until { (try? rig.logged("departure").count) ?? 0 >= wanted }
        departed = try rig.logged("departure").map { $0["scan"]?.string ?? "" }
    }

    /// Puts a tag where there is none, else takes it away.
    private mutating func change(_ port: Int) async throws {
        toggle(port)
        guard let uid = lying[port] else { return try await rig.tags.remove(port) }
        try await rig.tags.insert(port, StillTagRig.tag(uid))
    }

    private mutating func toggle(_ port: Int) {
        if lying.removeValue(forKey: port) != nil {
            story.append("lift from \(port)")
        } else {
            lastTag += 1
            let number = String(lastTag)
            let uid = "04" + String(repeating: "0", count: 12 - number.count) + number
            story.append("put \(uid) on \(port)")
            lying[port] = uid
        }
    }

    /// Everything that lies there has been looked at: what is new is told, what is gone goes.
    private mutating func look() throws {
        try rig.checkPace()
        for port in rig.readers.ports where lying[port] == open[port]?.uid && lying[port] != nil {
            rig.waitUntilLookedAt(port)
        }
        // Those that came at the same time are told in any order.
        var awaited: [String: Int] = [:]
        for (port, uid) in lying where uid != open[port]?.uid { awaited[uid] = port }
        for port in rig.readers.ports where open[port]?.uid != lying[port] { open[port] = nil }
        while !awaited.isEmpty {
            let scan = try rig.next("scan")
            let uid = scan["tag"]?["uid"]?.string ?? ""
            guard let port = awaited.removeValue(forKey: uid) else {
                Issue.record("a scan of \(uid), which is no news")
                continue
            }
            let id = scan["scan"]?.string ?? ""
            scans.append(id)
            told.append(uid)
            open[port] = (id, uid)
        }
    }
}
