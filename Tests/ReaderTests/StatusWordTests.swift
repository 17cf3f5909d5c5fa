import NFCForum
import PCSCReader
import Testing

@Suite("Status words")
struct StatusWordTests {
    @Test("90 00 is success, and nothing else is")
    func success() {
        for value in UInt16.min...UInt16.max where StatusWord(value).isSuccess {
            #expect(value == 0x9000)
        }
        #expect(StatusWord(0x9000).isSuccess)
    }

    static let answers: [([UInt8], [UInt8]?, String)] = [
        ([0x90, 0x00], [], "9000"),
        ([0x01, 0x02, 0x6A, 0x82], [0x01, 0x02], "6A82"),
        ([0x00, 0x0F], [], "000F"),
        ([0x90], nil, ""),
        ([], nil, ""),
    ]

    @Test("an answer is data and two bytes; a shorter one is none", arguments: answers)
    func answer(bytes: [UInt8], data: [UInt8]?, status: String) {
        let answer = APDUAnswer(bytes)
        #expect(answer?.data == data)
        #expect(answer.map { "\($0.status)" } ?? "" == status)
    }

    @Test("the commands are PC/SC's")
    func commands() {
        #expect(ReaderCommand.uid == [0xFF, 0xCA, 0x00, 0x00, 0x00])
        #expect(ReaderCommand.read(page: 3, count: 16) == [0xFF, 0xB0, 0x00, 0x03, 0x10])
        #expect(ReaderCommand.read(page: 0x1FE, count: 4) == [0xFF, 0xB0, 0x01, 0xFE, 0x04])
    }
}

@Suite("What PC/SC returns")
struct PCSCCodeTests {
    static let codes: [(UInt32, PCSCCode.Trouble)] = [
        (0x8010_0003, .service), (0x8010_0013, .service), (0x8010_001D, .service),
        (0x8010_001E, .service), (0x8010_006A, .access), (0x8010_0009, .reader),
        (0x8010_0011, .reader), (0x8010_0017, .reader), (0x8010_000C, .tagGone),
        (0x8010_0069, .tagGone), (0x8010_0065, .mute), (0x8010_0066, .mute),
        (0x8010_0067, .mute), (0x8010_0068, .reset), (0x8010_000B, .held),
        (0x8010_0016, .exchange), (0x8010_0001, .exchange), (0x8010_002F, .exchange),
    ]

    @Test("each code has one meaning", arguments: codes)
    func trouble(code: UInt32, trouble: PCSCCode.Trouble) {
        #expect(PCSCCode(code).trouble == trouble)
    }

    @Test("an error says which call, on which reader, and what came back")
    func sentence() {
        let error = PCSCError("SCardConnect", reader: "ACS 00 00", code: PCSCCode(0x8010_000B))
        #expect("\(error)" == "SCardConnect on ACS 00 00: Sharing violation (0x8010000B)")
        #expect(
            "\(PCSCError("SCardListReaders", code: PCSCCode(0x8010_001D)))"
                == "SCardListReaders: Service not available (0x8010001D)")
    }
}
