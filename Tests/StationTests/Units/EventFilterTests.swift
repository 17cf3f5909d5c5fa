import Scanning
import Testing

@testable import Station

@Suite("Filters of events")
struct EventFilterTests {
    struct Example: Sendable, CustomTestStringConvertible {
        let testDescription: String
        var types: [String]?
        var readers: [String]?
        var type = "scan"
        var readerID: String? = "usb-1"
        var readerName: String? = "door"
        let passes: Bool
    }

    @Test(
        "what passes",
        arguments: [
            Example(testDescription: "no filter", passes: true),
            Example(
                testDescription: "empty lists are as absent", types: [], readers: [], passes: true),
            Example(testDescription: "a type of the list", types: ["api", "scan"], passes: true),
            Example(testDescription: "another type", types: ["api"], passes: false),
            Example(testDescription: "types are compared by case", types: ["Scan"], passes: false),
            Example(testDescription: "a word that means nothing", types: ["sacn"], passes: false),
            Example(testDescription: "a reader by id", readers: ["usb-1"], passes: true),
            Example(testDescription: "a reader by name", readers: ["x", "door"], passes: true),
            Example(testDescription: "another reader", readers: ["usb-2"], passes: false),
            Example(
                testDescription: "an event without a reader passes each filter of readers",
                readers: ["usb-2"], type: "api", readerID: nil, readerName: nil, passes: true),
            Example(
                testDescription: "but not one of types", types: ["scan"], readers: ["usb-2"],
                type: "api", readerID: nil, readerName: nil, passes: false),
            Example(
                testDescription: "both lists have to allow it", types: ["scan"],
                readers: ["usb-2"], passes: false),
        ])
    func passes(_ example: Example) {
        let filter = EventFilter(types: example.types, readers: example.readers)
        #expect(
            filter.passes(
                type: example.type, readerID: example.readerID, readerName: example.readerName)
                == example.passes)
    }

    @Test("words that name no type of event and no reader are given back, in their order")
    func unknown() {
        let known: Set = ["usb-1", "door", "manual"]
        #expect(
            EventFilter.unknown(
                types: ["sacn", "scan", "flow"], readers: ["door", "dor", "manual"], known: known)
                == ["sacn", "flow", "dor"])
        #expect(EventFilter.unknown(types: Event.types, readers: ["usb-1"], known: known) == nil)
        #expect(EventFilter.unknown(types: [], readers: [], known: known) == nil)
        #expect(EventFilter.unknown(types: nil, readers: nil, known: known) == nil)
    }
}
