import LineProtocols
import Scanning
import TestRig
import Testing

@Suite("Taps on a real pcscd", .serialized)
struct TapTests {
    @Test("a tap is told whole, when it happened")
    func tap() async throws {
        let rig = try await Rig()
        let arrival = try await rig.tap(TagText.ntag213())
        #expect(arrival.device == rig.devices[0])
        #expect(arrival.medium == "nfc")
        #expect(arrival.technology == "iso14443a")
        #expect(arrival.uid == "04a1b2c3d4e5f6")
        #expect(arrival.uidRandom == nil)
        #expect(arrival.ndef == TagText.urlMessage)
        #expect(arrival.problem == nil)
        let put = try #require(rig.tags.events(rig.port).first { $0.ev == "insert" })
        #expect(arrival.bootNanoseconds > put.bootNs)
    }

    @Test(
        "no reader needs more commands than the UID, the header and the message's own length",
        arguments: ["acr122u", "acr1252u", "omnikey", "identiv", "limited64"])
    func commands(model: String) async throws {
        let rig = try await Rig([model])
        #expect(try await rig.tap(TagText.ntag213()).ndef == TagText.urlMessage)
        // The UID; the container with 12 bytes; four reads for the other 60.
        #expect(rig.lastCommands == 6)
        let short = "{\"kind\":\"ntag216\",\"ndef_hex\":\"d1010255007800\"}"
        #expect(try await rig.tap(short).ndef == "d1010255007800")
        #expect(rig.lastCommands == 2)
    }

    static let others: [(tag: String, technology: String, kind: String?, reason: String)] = [
        (
            #"{"kind":"classic1k","uri":"https://a.example"}"#, "iso14443a",
            "MIFARE Classic 1K", "mifareClassic"
        ),
        (
            // A card without a name of its own: FF and its SAK, which says that it is no tag.
            #"{"kind":"ntag213","atr":"3B8F8001804F0CA00000030603FF4000000000D4"}"#, "iso14443a",
            nil, "unknown"
        ),
        (#"{"kind":"felica","uri":"https://a.example"}"#, "felica", nil, "type3"),
        (#"{"kind":"icode","uri":"https://a.example"}"#, "iso15693", nil, "type5"),
    ]

    @Test("a tag of another kind is told by its UID and its type")
    func otherKinds() async throws {
        let rig = try await Rig()
        for other in Self.others {
            let arrival = try await rig.tap(other.tag)
            #expect(arrival.problem == .unsupported)
            #expect(arrival.reason == other.reason)
            #expect(arrival.technology == other.technology)
            #expect(arrival.kind == other.kind)
            #expect(arrival.uid?.isEmpty == false)
        }
    }

    @Test("a tag with nothing on it is blank, and its UID is told")
    func blank() async throws {
        let rig = try await Rig()
        for tag in [
            #"{"kind":"ntag213","uid":"04a1b2c3d4e5f6"}"#,
            #"{"kind":"ntag213","uid":"04a1b2c3d4e5f6","blank":true}"#,
            #"{"kind":"ultralight","uid":"04a1b2c3d4e5f6","cc":"E1100600","area_hex":"FE"}"#,
        ] {
            let arrival = try await rig.tap(tag)
            #expect(arrival.problem == .blank)
            #expect(arrival.uid == "04a1b2c3d4e5f6")
            #expect(arrival.ndef == nil)
            #expect(rig.lastCommands == 2)
        }
    }

    @Test("a random UID is told as random, one of zeros not at all")
    func uids() async throws {
        let rig = try await Rig()
        let random = try await rig.tap(#"{"kind":"type4","uid":"08CBE1F4"}"#)
        #expect(random.uid == "08cbe1f4" && random.uidRandom == true)
        let zeros = try await rig.tap(
            #"{"kind":"ntag213","uid":"00000000000000","ndef_hex":"d00000"}"#)
        #expect(zeros.uid == nil && zeros.ndef == "d00000")
    }

    @Test("a tag that lies there at the start is told")
    func thereAtStart() async throws {
        let readers = try await VirtualReaders(["acr122u"])
        let tags = try VirtualTags()
        try await tags.insert(readers.ports[0], TagText.ntag213())
        let program = try ReaderProgram(readers)
        #expect(try await program.arrival().ndef == TagText.urlMessage)
    }

    @Test("two readers tell of their own tags")
    func twoReaders() async throws {
        let rig = try await Rig(["acr122u", "acr122u"])
        #expect(
            rig.devices == [
                "pcsc:acs-acr122u-picc-interface", "pcsc:acs-acr122u-picc-interface#2",
            ])
        try await rig.tags.insert(rig.readers.ports[1], TagText.ntag213(uid: "04000000000002"))
        let second = try await rig.program.arrival()
        try await rig.tags.insert(rig.readers.ports[0], TagText.ntag213(uid: "04000000000001"))
        let first = try await rig.program.arrival()
        #expect(second.device == rig.devices[1] && second.uid == "04000000000002")
        #expect(first.device == rig.devices[0] && first.uid == "04000000000001")
        #expect(first.token != second.token)
    }
}
