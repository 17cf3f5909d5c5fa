import LineProtocols
import Scanning
import Testing

@testable import StationClient

@Suite("Events for people")
struct EventRendererTests {
    /// One hour east of Greenwich, on a day with that one hour only.
    private static let clock = LocalClock { timestamp in
        let milliseconds = Int(timestamp.milliseconds - day.milliseconds) + 3_600_000
        return LocalTime(
            year: 2026, month: 1, day: 2 + milliseconds / 86_400_000,
            hour: milliseconds / 3_600_000 % 24, minute: milliseconds / 60_000 % 60,
            second: milliseconds / 1000 % 60, millisecond: milliseconds % 1000)
    }
    private static let day = Timestamp(milliseconds: 1_767_312_000_000)

    private static func renderer(colours: Bool = false) -> EventRenderer {
        EventRenderer(paint: Paint(isOn: colours), clock: clock, now: day)
    }

    private static let door = RenderedEvents.door
    private static let identifier = RenderedEvents.identifier

    /// What a line says after its time.
    private static func said(_ members: String, colours: Bool = false) -> String {
        var renderer = renderer(colours: colours)
        let body = #"{"at":"2026-01-02T12:00:00.007Z",\#(members)}"#
        let line = renderer.render(Array(body.utf8))
        return String(line.dropFirst(colours ? 22 : 14).dropLast())
    }

    @Test(
        "scans",
        arguments: RenderedEvents.scans)
    func scans(members: String, text: String) {
        #expect(
            Self.said(#""type":"scan",\#(Self.door),\#(members)"#)
                == "door     scan        \(text)"
        )
    }

    @Test(
        "resolutions",
        arguments: RenderedEvents.resolutions)
    func resolutions(members: String, text: String) {
        let event =
            #""type":"resolution",\#(Self.door),\#(Self.identifier),\#(members)"#
        #expect(Self.said(event) == "door     resolution  4kyQCd · \(text)")
    }

    @Test(
        "departures, readers, the API, the location and jobs",
        arguments: RenderedEvents.states)
    func states(members: String, text: String) {
        #expect(Self.said(members) == text)
    }

    @Test(
        "types and members of newer stations are shown as they are",
        arguments: RenderedEvents.newer)
    func unknown(members: String, text: String) {
        #expect(Self.said(members) == text)
    }

    @Test("an event that is not stored is said to be so")
    func notStored() {
        let event = #""type":"api","state":"online","durable":false"#
        #expect(Self.said(event) == "station  api         online · not stored yet")
    }

    @Test("where the station's clock is not trusted is said once, and where it is again")
    func clock() {
        var renderer = Self.renderer(colours: false)
        func lines(_ more: String) -> [String] {
            let body = Array(#"{"type":"api","state":"online"\#(more)}"#.utf8)
            return renderer.render(body).split(separator: "\n").map(String.init)
        }
        #expect(lines("").count == 1)
        let first = lines(#","clock":"untrusted""#)
        #expect(first.first?.contains("clock is not trusted from here on") == true)
        #expect(first.count == 2)
        #expect(lines(#","clock":"untrusted""#).count == 1)
        #expect(lines("").first == "the station's clock is trusted from here on")
    }

    // Not in the macro: interpolations there crash the compiler of Swift 6.0.3.
    private static let coloured: [(String, String)] = [
        (
            #""type":"scan",\#(Self.door),\#(Self.identifier),"tag":{"kind":"QR"}"#,
            "door     scan        ^[36m4kyQCd^[0m · path 4.2.3 · QR"
        ),
        (
            #""type":"reader",\#(Self.door),"state":"disconnected""#,
            "door     reader      ^[31mdisconnected^[0m"
        ),
        (
            #"\#(Self.door),"type":"resolution","outcome":"ERROR","error":{"code":"A"}"#,
            "door     resolution  ^[31mrefused^[0m · ^[31mA^[0m"
        ),
    ]

    @Test("colours tell good from bad", arguments: coloured)
    func colours(members: String, text: String) {
        // The results are printed on terminals too: no real escape characters in arguments.
        let said = Self.said(members, colours: true)
        #expect(said.split(separator: "\u{1B}").joined(separator: "^") == text)
    }

    @Test("the date stands before the first event of another day, and only there")
    func dates() {
        var renderer = Self.renderer()
        let days = [
            "2026-01-02T22:59:59.999Z", "2026-01-02T23:00:00Z", "2026-01-02T23:00:01Z", "x",
        ]
        let text = days.map { renderer.render(Array(#"{"at":"\#($0)","type":"t"}"#.utf8)) }
        #expect(
            text.joined() == """
                23:59:59.999  station  t           \n\
                2026-01-03
                00:00:00.000  station  t           \n\
                00:00:01.000  station  t           \n\
                --:--:--.---  station  t           \n
                """)
    }

    @Test("the column of readers grows with the longest name, to a limit")
    func columns() {
        var renderer = Self.renderer()
        let names = ["storeroom east", "door", String(repeating: "x", count: 30)]
        let columns = names.map { name -> String in
            let event = #"{"type":"t","reader":{"name":"\#(name)"}}"#
            return String(renderer.render(Array(event.utf8)).dropFirst(14).dropLast(13))
        }
        #expect(
            columns == [
                "storeroom east  ", "door            ", String(repeating: "x", count: 24) + "…  ",
            ])
    }

    @Test(
        "times that no calendar has do no harm",
        arguments: [
            "999999999999999999-01-01T00:00:00Z", "-99999-01-01T00:00:00Z", "",
            "2026-99-99T99:99:99Z",
            "2026-01-02T12:00:00.99999999999999999999Z",
        ])
    func times(at: String) {
        var renderer = EventRenderer(paint: Paint(isOn: false), clock: .system, now: Self.day)
        #expect(renderer.render(Array(#"{"at":"\#(at)","type":"t"}"#.utf8)).hasSuffix("\n"))
    }

    /// Every member that a person is shown, with a text that would take over a terminal.
    private static let hostile: [String] = {
        let bad = #"\u001b[2J\u009b31m\u202e\u2028\n\u0007"#
        let reader = #""reader":{"id":"\#(bad)","name":"\#(bad)","kind":"\#(bad)"}"#
        let object = """
            {"id":"\(bad)","name":"\(bad)","canEdit":false,"owner":{"id":"\(bad)","name":"\(bad)"},\
            "class":{"name":"\(bad)"},"location":{"object":"\(bad)","name":"\(bad)",\
            "relationship":"\(bad)"},"statuses":["\(bad)"]}
            """
        let members = """
            "scan":"\(bad)","medium":"\(bad)","tag":{"technology":"\(bad)","kind":"\(bad)",\
            "uid":"\(bad)"},"identifier":{"identifier":"\(bad)","path":"\(bad)"},"unrecognised":\
            "\(bad)","content":"\(bad)","outcome":"\(bad)","reason":"\(bad)","object":\(object),\
            "candidates":[\(object)],"error":{"code":"\(bad)","message":"\(bad)"},"state":"\(bad)",\
            "location":{"latitude":1,"longitude":2,"source":"\(bad)"},"job":{"id":"\(bad)",\
            "kind":"\(bad)","state":"\(bad)","error":"\(bad)","by":{"user":"\(bad)"}},\
            "\(bad)":"\(bad)"
            """
        return (Event.types + [bad]).map {
            #"{"at":"\#(bad)","type":"\#($0)",\#(reader),\#(members)}"#
        }
    }()

    @Test(
        "nothing that a tag, the API or a reader says reaches the terminal raw", arguments: hostile)
    func harmless(event: String) {
        var renderer = Self.renderer()
        let line = renderer.render(Array(event.utf8))
        #expect(line.unicodeScalars.filter { $0 == "\n" }.count == 1)
        #expect(TerminalText.escape(line.dropLast()) == line.dropLast())
        #expect(line.contains(#"\u001b[2J\u009b31m"#))
    }
}
