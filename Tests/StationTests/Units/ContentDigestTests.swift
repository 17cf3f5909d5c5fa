import LineProtocols
import Testing

@testable import Station

@Suite("The digest of a tag's contents")
struct ContentDigestTests {
    private static func arrival(
        _ change: (inout ReaderMessage.Arrival) -> Void = { _ in }
    ) -> ReaderMessage.Arrival {
        var arrival = ReaderMessage.Arrival(
            device: "usb-1", token: "t", medium: "nfc", bootNanoseconds: 1)
        change(&arrival)
        return arrival
    }

    @Test("is sixteen hexadecimal digits, also where they begin with zeros")
    func form() {
        for number in 0..<1000 {
            let digest = ContentDigest.of(Self.arrival { $0.ndef = "\(number)" })
            #expect(digest.utf8.count == 16)
            #expect(UInt64(digest, radix: 16) != nil)
        }
    }

    @Test("differs for whatever a reader may report as contents")
    func differs() {
        let contents: [ReaderMessage.Arrival] = [
            Self.arrival(),
            Self.arrival { $0.ndef = "" },
            Self.arrival { $0.ndef = "d1" },
            Self.arrival { $0.ndef = "d101" },
            Self.arrival { $0.payload = "" },
            Self.arrival { $0.payload = "d1" },
            Self.arrival {
                $0.ndef = "d1"
                $0.payload = "d1"
            },
            Self.arrival { $0.problem = .blank },
            Self.arrival { $0.problem = .unsupported },
            Self.arrival { $0.problem = .unreadable },
        ]
        #expect(Set(contents.map(ContentDigest.of)).count == contents.count)
    }

    @Test("does not depend on when, under which name or how well a tag was seen")
    func same() {
        let first = ContentDigest.of(Self.arrival { $0.ndef = "d101" })
        let again = ContentDigest.of(
            Self.arrival {
                $0.ndef = "d101"
                $0.token = "u"
                $0.bootNanoseconds = 2
                $0.kind = "NTAG213"
                $0.present = true
            })
        #expect(first == again)
    }

    @Test("stays what it is from version to version, since the store keeps it")
    func pinned() {
        let digests = [
            ContentDigest.of(Self.arrival { $0.ndef = "d00000" }),
            ContentDigest.of(Self.arrival { $0.payload = "68747470" }),
            ContentDigest.of(Self.arrival { $0.problem = .unreadable }),
        ]
        #expect(
            digests == [
                "09189a0d6840a463", "5015bffffd40d854", "2fecbce5fc4fbb42",
            ])
    }
}
