import Scanning
import Testing

@testable import PlingsAPI

/// What an answer's members come to.
struct OutcomeRow: Sendable, CustomTestStringConvertible {
    let members: String
    let outcome: ResolutionEvent.Outcome
    let error: AnswerError?

    var testDescription: String { members }

    init(
        _ members: String, _ outcome: ResolutionEvent.Outcome, _ code: String? = nil,
        _ message: String = ""
    ) {
        self.members = members
        self.outcome = outcome
        error = code.map { AnswerError(code: $0, message: message) }
    }
}

private let bike = #"{"objectId":"o1","name":"Cykel","canEdit":true}"#
private let invalid = #""error":{"code":"INVALID_IDENTIFIER","message":"not valid"}"#
private let specific =
    #""routing":{"action":"REDIRECT","parameters":[{"key":"class","value":"c1"}]}"#
private let nothing = "The API's answer names no object and no reason."
private let silent = "The API gives no reason."

private let outcomes: [OutcomeRow] = [
    // As documented.
    .init(#""success":true,"object":\#(bike)"#, .knownObject),
    .init(#""success":true,"object":\#(bike),"error":null,"candidates":null"#, .knownObject),
    .init(#""success":true,"object":null"#, .unknownGeneral),
    .init(#""success":true"#, .unknownGeneral),
    .init(#""success":true,"object":null,"routing":{"action":"SHOW_INFO"}"#, .unknownGeneral),
    .init(#""success":true,"object":null,\#(specific)"#, .unknownSpecific),
    .init(#""success":true,"object":null,"class":{"id":"c1"}"#, .unknownSpecific),
    .init(#""success":true,"object":null,"class":null"#, .unknownGeneral),
    .init(#""success":true,"object":null,"class":{}"#, .unknownGeneral),
    .init(
        #""success":true,"object":null,"routing":{"parameters":[{"key":"class","value":""}]}"#,
        .unknownGeneral),
    .init(#""success":false,\#(invalid)"#, .error, "INVALID_IDENTIFIER", "not valid"),
    .init(#""success":false,"object":null"#, .error, "UNNAMED_ERROR", silent),
    .init(#""success":false,"error":{"message":"m"}"#, .error, "UNNAMED_ERROR", "m"),
    .init(#""success":false,"error":{"code":"C"}"#, .error, "C", silent),
    .init(#""success":false,"candidates":[\#(bike),\#(bike)],\#(invalid)"#, .duplicate),
    .init(#""success":true,"candidates":[\#(bike)]"#, .duplicate),
    // Contradictions.
    .init(#""success":true,"object":\#(bike),"candidates":[\#(bike)]"#, .duplicate),
    .init(#""success":true,"candidates":[{"name":"without an id"}]"#, .duplicate),
    .init(#""success":true,"candidates":[null,5],"object":\#(bike)"#, .knownObject),
    .init(#""success":true,"candidates":[],"object":\#(bike)"#, .knownObject),
    .init(
        #""success":true,"object":\#(bike),\#(invalid)"#, .error, "INVALID_IDENTIFIER", "not valid"),
    .init(#""success":true,\#(invalid)"#, .error, "INVALID_IDENTIFIER", "not valid"),
    .init(#""success":true,"error":"text""#, .error, "UNNAMED_ERROR", silent),
    .init(#""success":false,"object":\#(bike)"#, .error, "UNNAMED_ERROR", silent),
    .init(#""success":true,"routing":{"action":"ERROR"}"#, .error, "UNNAMED_ERROR", silent),
    .init(#""success":true,"object":{"name":"x"}"#, .error, "INCOMPLETE_ANSWER", nothing),
    .init(#""success":true,"object":{"objectId":""}"#, .error, "INCOMPLETE_ANSWER", nothing),
    .init(#""success":true,"object":"o1""#, .error, "INCOMPLETE_ANSWER", nothing),
    .init("", .error, "INCOMPLETE_ANSWER", nothing),
    .init(#""object":null"#, .error, "INCOMPLETE_ANSWER", nothing),
    .init(#""success":"yes","object":null"#, .error, "INCOMPLETE_ANSWER", nothing),
    .init(#""object":\#(bike)"#, .knownObject),
]

/// Reads an answer as the client does.
private func read(_ body: String, status: Int = 200) throws -> ResolveAnswer {
    let answer = HTTPAnswer(status: status, body: Array(body.utf8))
    return ResolveAnswer(try PlingsClient.payload(of: ResolveIdentifier.self, in: answer))
}

@Suite("What an answer means")
struct ResolveAnswerTests {
    @Test("success, action, error, object and candidates decide the outcome", arguments: outcomes)
    func outcome(_ row: OutcomeRow) throws {
        let answer = try read(resolved(row.members))
        #expect(answer.resolution.outcome == row.outcome)
        #expect(answer.resolution.error == row.error)
    }

    @Test("an object is read with its owner, class, place and statuses")
    func object() throws {
        let answer = try read(
            resolved(
                #"""
                "success":true,"new":{"x":[1]},"scanEvent":{"id":"scan_1","more":1},
                "routing":{"action":"REDIRECT","destination":"https://plings.io/o/o1","cacheTTL":300,
                  "parameters":[{"key":"oid","value":"o1"},{"key":"sid","value":"other"}]},
                "object":{"objectId":"o1","name":"Grön cykel","canEdit":true,"status":"FOR_RENT",
                  "statuses":["for_rent","brand-new"],"manufacturer":{"id":"4"},
                  "owner":{"id":"org1","name":"Grön Teknik","type":"company"},
                  "class":{"id":"c1","name":"Cykel","classPointer":"4K7mX9abDcE","isGeneric":false},
                  "location":{"objectId":"o2","name":"Hylla","relationship":"CURRENT_ON"}}
                """#))
        var object = ObjectSummary(id: "o1", name: "Grön cykel", canEdit: true)
        object.statuses = ["for_rent", "brand-new"]
        object.owner = .init(id: "org1", name: "Grön Teknik", type: "company")
        object.class = ObjectClass(
            id: "c1", name: "Cykel", classPointer: "4K7mX9abDcE", isGeneric: false)
        object.location = .init(object: "o2", name: "Hylla", relationship: "CURRENT_ON")
        var resolution = Resolution(outcome: .knownObject)
        resolution.object = object
        resolution.routing = Routing(
            action: "REDIRECT", destination: "https://plings.io/o/o1",
            parameters: [.init(key: "oid", value: "o1"), .init(key: "sid", value: "other")],
            cacheTTL: 300)
        #expect(
            answer == ResolveAnswer(resolution: resolution, scanEvent: "scan_1", cacheTTL: 300))
    }

    @Test("an object of which little is told is read-only")
    func sparseObject() throws {
        let answer = try read(
            resolved(#""success":true,"object":{"objectId":7,"canEdit":null,"owner":{},"class":5}"#)
        )
        #expect(answer.resolution.object == ObjectSummary(id: "7", name: nil, canEdit: false))
    }

    @Test(
        "statuses come from the list, else from the single one",
        arguments: [
            (#""statuses":["A","B"],"status":"C""#, ["A", "B"]), (#""status":"C""#, ["C"]),
            (#""statuses":null,"status":"C""#, ["C"]), (#""statuses":[],"status":"C""#, ["C"]),
            (#""statuses":[null,"A",5]"#, ["A"]), (#""statuses":[]"#, nil),
        ] as [(String, [String]?)])
    func statuses(_ members: String, _ statuses: [String]?) throws {
        let answer = try read(
            resolved(#""success":true,"object":{"objectId":"o1",\#(members)}"#))
        #expect(answer.resolution.object?.statuses == statuses)
    }

    @Test("a class is read from the routing parameters or from the answer")
    func classes() throws {
        let parameters =
            #"[{"key":"class","value":"c1"},{"key":"className","value":"Cykel"},{"key":"x"},null]"#
        let routed = try read(
            resolved(#""success":true,"routing":{"action":"X","parameters":\#(parameters)}"#))
        #expect(
            routed.resolution.class
                == ObjectClass(id: "c1", name: "Cykel", classPointer: nil, isGeneric: nil))
        let told = try read(
            resolved(#""success":true,"class":{"id":"c2","name":"Borr"},\#(specific)"#))
        #expect(
            told.resolution.class
                == ObjectClass(id: "c2", name: "Borr", classPointer: nil, isGeneric: nil))
    }

    @Test("the scan event comes from the answer, else from the routing parameter sid")
    func scanEvent() throws {
        let sid = #""routing":{"action":"REDIRECT","parameters":[{"key":"sid","value":"s1"}]}"#
        #expect(try read(resolved(#""success":true,\#(sid)"#)).scanEvent == "s1")
        #expect(
            try read(resolved(#""success":true,"scanEvent":null,\#(sid)"#)).scanEvent == "s1")
        #expect(
            try read(resolved(#""success":true,"scanEvent":{"id":"e1"},\#(sid)"#)).scanEvent == "e1"
        )
        #expect(try read(resolved(#""success":true"#)).scanEvent == nil)
    }

    @Test(
        "a time to live that is none is left out or bounded",
        arguments: [
            ("300", 300), ("300.0", 300), ("0", 0), ("-5", 0), ("99999999999", Int(Int32.max)),
            ("1e400", nil), ("\"300\"", nil), ("null", nil), ("0.5", nil),
        ] as [(String, Int?)])
    func timeToLive(_ value: String, _ seconds: Int?) throws {
        let answer = try read(
            resolved(#""success":true,"routing":{"action":"X","cacheTTL":\#(value)}"#))
        #expect(answer.cacheTTL == seconds)
    }

    @Test("texts, ids and lists are bounded")
    func bounds() throws {
        let long = String(repeating: "å", count: 2000)
        let many = Array(repeating: bike, count: 300).joined(separator: ",")
        let named = try read(
            resolved(#""success":true,"object":{"objectId":"o1","name":"\#(long)"}"#))
        #expect(named.resolution.object?.name == String(repeating: "å", count: 1000))
        let duplicate = try read(resolved(#""success":true,"candidates":[\#(many)]"#))
        #expect(duplicate.resolution.candidates?.count == 100)
        let overlong = try read(resolved(#""success":true,"object":{"objectId":"\#(long)"}"#))
        #expect(overlong.resolution.error?.code == ResolveAnswer.incompleteCode)
    }

    @Test("control characters in a name are data")
    func controlCharacters() throws {
        let answer = try read(
            resolved(#""success":true,"object":{"objectId":"o1","name":"a\u0000\u001b[31m\n"}"#))
        #expect(answer.resolution.object?.name == "a\u{0}\u{1b}[31m\n")
    }

    @Test("an answer nested without end is refused")
    func nesting() {
        let nested = String(repeating: "[", count: 100_000)
        #expect(throws: APIFailure.self) {
            try read(resolved(#""success":true,"new":\#(nested)"#))
        }
    }
}

private let accident = #"{"message":"boom","path":["resolveIdentifier","object"]}"#

@Suite("Answers with errors beside data")
struct PartialAnswerTests {
    @Test("an absent object is not believed where a field has failed")
    func unknown() {
        let body =
            #"{"data":{"resolveIdentifier":{"success":true,"object":null}},"errors":[\#(accident)]}"#
        let reason = "the API reports an internal error"
        #expect(throws: APIFailure.transient(reason: reason, retryAfter: nil)) { try read(body) }
    }

    @Test("an object that is there counts although another field has failed")
    func known() throws {
        let body =
            #"{"data":{"resolveIdentifier":{"success":true,"object":\#(bike)}},"errors":[\#(accident)]}"#
        #expect(try read(body).resolution.outcome == .knownObject)
    }

    @Test("an answer without the operation's field proves no delivery")
    func missing() {
        let reason = "the API's answer has no resolveIdentifier"
        for data in [#"{"resolveIdentifier":null}"#, "{}", #"{"other":{}}"#] {
            #expect(throws: APIFailure.transient(reason: reason, retryAfter: nil)) {
                try read(#"{"data":\#(data)}"#)
            }
        }
    }

    @Test("an outcome under an error status is not believed")
    func status() {
        let body = resolved(#""success":true,"object":\#(bike)"#)
        let reason = "the API answers HTTP 500"
        #expect(throws: APIFailure.transient(reason: reason, retryAfter: nil)) {
            try read(body, status: 500)
        }
    }
}
