import FoundationEssentials
import Scanning
import Testing

@testable import PlingsAPI

private struct Posted: Decodable {
    let operationName: String
    let query: String
    let variables: [String: Input]

    struct Input: Decodable, Equatable {
        var type: String?
        var identifier: String?
        var path: String?
        var classPointer: String?
        var scanMetadata: Metadata?
    }

    struct Metadata: Decodable, Equatable {
        var timestamp: String?
        var geoLocation: GeoLocation?
    }

    struct GeoLocation: Decodable, Equatable {
        var latitude: Double?
        var longitude: Double?
        var accuracy: Double?
        var consent: Bool?
    }
}

private func posted(_ request: ResolveRequest) throws -> (Posted, String) {
    let body = try ResolveIdentifier(request).body()
    let text = String(decoding: body, as: UTF8.self)
    return (try JSONDecoder().decode(Posted.self, from: Data(body)), text)
}

@Suite("What is asked")
struct ResolveRequestTests {
    @Test("a scan goes out with its own time and the identifier as it was read")
    func scanned() throws {
        let (posted, text) = try posted(scan())
        #expect(posted.operationName == "ResolveIdentifier")
        #expect(
            posted.variables["input"]
                == Posted.Input(
                    type: "n", identifier: identifier.identifier, path: "4.2.3.3.6",
                    classPointer: "4K7mX9abDcE",
                    scanMetadata: .init(timestamp: "2026-05-28T20:26:40.123Z")))
        #expect(!text.contains("geoLocation") && !text.contains("null"))
    }

    @Test("a place goes along with the consent")
    func placed() throws {
        let (posted, _) = try posted(scan(at: place))
        #expect(
            posted.variables["input"]?.scanMetadata?.geoLocation
                == Posted.GeoLocation(
                    latitude: 65.5841, longitude: 22.1547, accuracy: 8, consent: true))
    }

    @Test(
        "a place that is none is left out, the scan is not",
        arguments: [(90.5, 0), (0, -180.5), (.nan, 0), (0, .infinity)] as [(Double, Double)])
    func noPlace(_ latitude: Double, _ longitude: Double) throws {
        let wrong = Location(
            latitude: latitude, longitude: longitude, accuracy: nil, source: .gpsd)
        let (_, text) = try posted(scan(at: wrong))
        #expect(!text.contains("geoLocation"))
    }

    @Test(
        "an accuracy that is none is left out, the place is not", arguments: [-1, .nan, .infinity])
    func noAccuracy(_ accuracy: Double) throws {
        let wrong = Location(latitude: 1, longitude: 2, accuracy: accuracy, source: .gpsd)
        let (_, text) = try posted(scan(at: wrong))
        #expect(text.contains("latitude") && !text.contains("accuracy"))
    }

    @Test("a key that is absent is not sent")
    func noClassPointer() throws {
        let plain = ScannedIdentifier(
            type: "q", identifier: "abc", path: "1", classPointer: nil, url: "")
        let request = ResolveRequest(
            identifier: plain, at: Timestamp(milliseconds: 0), location: nil)
        let (_, text) = try posted(request)
        #expect(!text.contains(#""classPointer":"#))
    }

    @Test("the document asks for nothing twice and is one line")
    func document() {
        let document = ResolveIdentifier.document
        #expect(!document.contains("\n") && !document.contains("  "))
        #expect(document.filter { $0 == "{" }.count == document.filter { $0 == "}" }.count)
    }
}
