import LineProtocols
import Scanning
import TestRig
import Testing

@Suite("Bad tags on a real pcscd", .serialized)
struct BadTagTests {
    @Test(
        "a tag pulled away in the middle is told once as unreadable, and afresh when it is back"
    )
    func pulled() async throws {
        let rig = try await Rig(arguments: ["--departure-grace", "20"])
        for commands in 0...5 {
            let tag = TagText.ntag213("\"fault\":{\"pull_after\":\(commands)}")
            try await rig.tags.insert(rig.port, tag)
            let arrival = try await rig.program.arrival()
            #expect(arrival.problem == .unreadable, "after \(commands) commands")
            #expect(arrival.ndef == nil)
            #expect(arrival.uid == (commands == 0 ? nil : "04a1b2c3d4e5f6"))
            #expect(arrival.reason?.hasPrefix("taken away ") == true)
            #expect(try await rig.program.departure().token == arrival.token)
            let whole = try await rig.tap(TagText.ntag213())
            #expect(whole.ndef == TagText.urlMessage)
            #expect(whole.token != arrival.token)
        }
        #expect(rig.program.counts.arrivals == 12)
    }

    @Test("a tag pulled away and back within the grace is told once, whole")
    func pulledAndBack() async throws {
        let rig = try await Rig(arguments: ["--departure-grace", "30000"])
        try await rig.tags.insert(rig.port, TagText.ntag213(#""fault":{"pull_after":3}"#))
        try await rig.tags.perform("{\"port\":\(rig.port),\"wait_gone\":true}")
        try await rig.tags.insert(rig.port, TagText.ntag213())
        #expect(try await rig.program.arrival().ndef == TagText.urlMessage)
        #expect(rig.program.counts.arrivals == 1)
    }

    static let recoveries = [
        // One error, as when a tag is laid down slowly; the tag then answers nothing more
        // until it is selected anew.
        #""fault":{"error_at":[1]}"#, #""fault":{"error_at":[2]}"#,
        #""fault":{"error_at":[4]}"#, #""fault":{"short_at":3}"#,
        #""fault":{"truncate_at":2}"#, #""fault":{"slow_atr_ms":150}"#,
        #""fault":{"delay_ms":20}"#,
    ]

    @Test("an exchange that fails once is repeated before the tag is told")
    func recovery() async throws {
        let rig = try await Rig()
        for fault in Self.recoveries {
            let arrival = try await rig.tap(TagText.ntag213(fault))
            #expect(arrival.ndef == TagText.urlMessage, "\(fault)")
        }
        #expect(rig.program.counts.arrivals == Self.recoveries.count)
    }

    static let unreadable: [(tag: String, reason: String, uid: String?)] = [
        (
            TagText.ntag213(#""fault":{"error_from":2}"#),
            "reading page 3 was answered by 6300", "04a1b2c3d4e5f6"
        ),
        (
            TagText.ntag213(#""fault":{"error_from":3,"sw":"6a82"}"#),
            "reading page 7 was answered by 6A82", "04a1b2c3d4e5f6"
        ),
        (
            #"{"kind":"ntag213","uid":"04a1b2c3d4e5f6","uri":"https://a.example","claim":200}"#,
            "a length on the tag goes beyond the tag's memory", "04a1b2c3d4e5f6"
        ),
        (
            // The container claims more memory than there is.
            """
            {"kind":"ultralight","uid":"04a1b2c3d4e5f6","cc":"E110FE00","uri":"x:","claim":255}
            """,
            "", "04a1b2c3d4e5f6"
        ),
        (
            TagText.ntag213(#""fault":{"garbage_at":"all","garbage_len":1}"#),
            "reading the UID was answered by 6F00", nil
        ),
    ]

    @Test("a tag that can't be read is told once, with the reason and the UID where known")
    func broken() async throws {
        let rig = try await Rig()
        for (index, tag) in Self.unreadable.enumerated() {
            let arrival = try await rig.tap(tag.tag)
            #expect(arrival.problem == .unreadable, "\(tag)")
            #expect(arrival.uid == tag.uid)
            #expect(arrival.ndef == nil)
            if !tag.reason.isEmpty { #expect(arrival.reason == tag.reason) }
            #expect(rig.program.counts.arrivals == index + 1)
        }
    }

    @Test("a tag that was asked for more than it has is selected anew, and keeps its UID")
    func beyondTheEnd() async throws {
        // The last of three attempts goes page by page. After a READ past the last page an ACR122U answers 63 00 to everything, the UID too.
        let rig = try await Rig(["acr122u"])
        let tag = """
            {"kind":"ultralight","uid":"04a1b2c3d4e5f6","cc":"E110FE00","uri":"x:","claim":255,\
            "trace":true}
            """
        for _ in 0..<2 {
            let arrival = try await rig.tap(tag)
            #expect(arrival.problem == .unreadable && arrival.uid == "04a1b2c3d4e5f6")
            #expect(arrival.reason == "reading page 16 was answered by 6300")
        }
        // The UID is asked for after each new selection alone, and always had.
        let answers = rig.tags.events(rig.port).filter { $0.c == "FFCA000000" }.map(\.r)
        #expect(Set(answers) == ["04A1B2C3D4E5F69000"])
        #expect(answers.count == 6)
        #expect(try await rig.tap(TagText.ntag213()).ndef == TagText.urlMessage)
        #expect(rig.lastCommands == 6)
    }

    @Test(
        "random bytes for answers are told as unreadable or nonsense, but once, and no harm done"
    )
    func garbage() async throws {
        let rig = try await Rig(arguments: ["--departure-grace", "20"])
        for fault in ["garbage_at", "noise_at", "truncate_at", "short_at"] {
            for _ in 0..<5 {
                _ = try await rig.tap(TagText.ntag213("\"fault\":{\"\(fault)\":\"all\"}"))
            }
        }
        #expect(try await rig.tap(TagText.ntag213()).ndef == TagText.urlMessage)
        #expect(rig.program.counts.arrivals == 21)
    }

    @Test("a mute tag is unreadable until it goes, and does not delay another reader")
    func muteTag() async throws {
        let rig = try await Rig(["acr122u", "acr122u"])
        let mute = TagText.ntag213(#""atr":"""#)
        try await rig.tags.insert(rig.port, mute)
        let arrival = try await rig.program.arrival()
        #expect(arrival.device == rig.devices[0])
        #expect(arrival.problem == .unreadable && arrival.uid == nil)
        #expect(arrival.reason?.hasPrefix("SCardConnect on ") == true)
        // While it lies there, the other reader is as quick as ever.
        for _ in 0..<3 {
            try await rig.tags.insert(rig.readers.ports[1], TagText.ntag213())
            let other = try await rig.program.arrival()
            #expect(other.device == rig.devices[1] && other.ndef == TagText.urlMessage)
            try await rig.tags.remove(rig.readers.ports[1])
            #expect(try await rig.program.departure().token == other.token)
        }
        try await rig.tags.remove(rig.port)
        #expect(try await rig.program.departure().token == arrival.token)
        #expect(try await rig.tap(TagText.ntag213()).ndef == TagText.urlMessage)
    }
}
