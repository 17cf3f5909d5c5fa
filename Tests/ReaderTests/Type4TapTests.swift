import LineProtocols
import Scanning
import TestRig
import Testing

@Suite("Type 4 tags on a real pcscd", .serialized)
struct Type4TapTests {
    private static func tag(_ more: String = "", kind: String = "type4") -> String {
        """
        {"kind":"\(kind)","uid":"04a1b2c3d4e5f6","uri":"\(TagText.url)"\
        \(more.isEmpty ? "" : ",\(more)")}
        """
    }

    static let readable = [
        #""by_response":true"#,
        // The container claims a longer file than there is: 62 82, or 6C with what there is.
        #""file_size":80,"mle":255,"cc":"000F2000FF00340406E10401000000""#,
        #""exact_le":true,"file_size":80,"mle":255,"cc":"000F2000FF00340406E10401000000""#,
        #""by_response":true,"mle":255"#, #""extended":true"#, #""v1":true"#, #""fid":57605"#,
        #""mle":65535"#, #""mle":15"#, #""write":255"#, #""extended":true,"file_size":40000"#,
    ]

    @Test("a tag URL is read, however the tag gives its answers")
    func readable() async throws {
        let rig = try await Rig()
        for more in Self.readable {
            let arrival = try await rig.tap(Self.tag(more))
            #expect(arrival.ndef == TagText.urlMessage, "\(more)")
            #expect(arrival.technology == "iso14443a" && arrival.uid == "04a1b2c3d4e5f6")
        }
    }

    @Test("a random UID is told as random, beside what the tag holds")
    func randomUID() async throws {
        let rig = try await Rig()
        let arrival = try await rig.tap(#"{"kind":"ntag424","uid":"08CBE1F4","uri":"x:y"}"#)
        #expect(arrival.uid == "08cbe1f4" && arrival.uidRandom == true)
        #expect(arrival.ndef == "d1010455" + "00783a79")
    }

    static let unreadable = [
        (#""read":128"#, "the tag does not let everybody read it"),
        (#""read":255"#, "the tag does not let everybody read it"),
        (#""claim":255"#, "a length on the tag goes beyond the tag's memory"),
        (#""claim":65535"#, "a length on the tag goes beyond the tag's memory"),
        (#""cc":"000F2000""#, "the tag's capability container is not as it should be"),
        (
            #""cc":"000F20000200340406E10401000000""#,
            "the tag's capability container is not as it should be"
        ),
        (
            #""fault":{"error_from":6,"sw":"6300"}"#,
            "reading byte 0 of a file was answered by 6300"
        ),
        (
            #""fault":{"error_from":2,"sw":"6300"}"#,
            "selecting the NDEF application was answered by 6300"
        ),
    ]

    @Test("a tag that can't be read is told once, with its UID and the reason in words")
    func unreadable() async throws {
        let rig = try await Rig()
        for (index, row) in Self.unreadable.enumerated() {
            let arrival = try await rig.tap(Self.tag(row.0))
            #expect(arrival.problem == .unreadable, "\(row)")
            #expect(arrival.reason == row.1)
            #expect(arrival.uid == "04a1b2c3d4e5f6" && arrival.ndef == nil)
            #expect(rig.program.counts.arrivals == index + 1)
        }
    }

    @Test("a phone that knows no NDEF application has its UID alone, in three commands")
    func phone() async throws {
        let rig = try await Rig()
        let phone = #"{"kind":"type4","no_app":true,"uid":"08CBE1F4","atr":"3B80800101"}"#
        let arrival = try await rig.tap(phone)
        #expect(arrival.uid == "08cbe1f4" && arrival.uidRandom == true)
        #expect(arrival.problem == nil && arrival.ndef == nil && arrival.payload == nil)
        #expect(rig.lastCommands == 3)
        let zeros = try await rig.tap(
            #"{"kind":"type4","no_app":true,"uid":"00000000","atr":"3B80800101"}"#)
        #expect(zeros.problem == .unsupported && zeros.reason == "noUID" && zeros.uid == nil)
    }

    @Test("a tag without a message is blank")
    func blank() async throws {
        let rig = try await Rig()
        for tag in [
            #"{"kind":"ntag424"}"#, #"{"kind":"type4","blank":true}"#,
            #"{"kind":"type4","no_file":true}"#,
        ] {
            let arrival = try await rig.tap(tag)
            #expect(arrival.problem == .blank && arrival.uid != nil && arrival.ndef == nil)
        }
    }

    @Test("a tag pulled away after any command is told once as unreadable, and afresh when back")
    func pulled() async throws {
        let rig = try await Rig(arguments: ["--departure-grace", "20"])
        for commands in 0...6 {
            let fault = "\"fault\":{\"pull_after\":\(commands)}"
            try await rig.tags.insert(rig.port, Self.tag(fault))
            let arrival = try await rig.program.arrival()
            #expect(arrival.problem == .unreadable, "after \(commands) commands")
            #expect(arrival.ndef == nil)
            #expect(arrival.uid == (commands == 0 ? nil : "04a1b2c3d4e5f6"))
            #expect(arrival.reason?.hasPrefix("taken away ") == true)
            #expect(try await rig.program.departure().token == arrival.token)
            #expect(try await rig.tap(Self.tag()).ndef == TagText.urlMessage)
        }
        #expect(rig.program.counts.arrivals == 14)
    }

    @Test("an exchange that fails once is repeated before the tag is told")
    func recovery() async throws {
        let rig = try await Rig()
        for number in 1...7 {
            for fault in ["\"error_at\":[\(number)]", "\"truncate_at\":\(number)"] {
                let arrival = try await rig.tap(Self.tag("\"fault\":{\(fault)}"))
                #expect(arrival.ndef == TagText.urlMessage, "\(fault)")
            }
        }
        #expect(rig.program.counts.arrivals == 14)
    }

    @Test("random bytes for answers do no harm, and the next tag is read whole")
    func garbage() async throws {
        let rig = try await Rig(arguments: ["--departure-grace", "20"])
        for fault in ["garbage_at", "noise_at", "truncate_at", "short_at"] {
            for _ in 0..<5 {
                _ = try await rig.tap(Self.tag("\"fault\":{\"\(fault)\":\"all\"}"))
            }
        }
        #expect(try await rig.tap(Self.tag()).ndef == TagText.urlMessage)
        #expect(rig.program.counts.arrivals == 21)
    }
}
