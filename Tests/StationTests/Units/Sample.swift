import LineProtocols
import Scanning

@testable import Station
@testable import Storage

/// Values that several tests use.
enum Sample {
    static let second: UInt64 = 1_000_000_000
    static let boot = "00000000-0000-4000-8000-000000000001"
    static let otherBoot = "00000000-0000-4000-8000-000000000002"
    static let key = "4kyQCd5tMDjJVWJH5h95gUcjq3qTX2cj5nwjVyqBRwLo"
    static let reader = ReaderReference(id: "usb-1", name: "door", kind: "pcsc")

    /// A tag URL of a key.
    static func url(_ key: String = key) -> String {
        "https://s.plings.io/?t=n&i=\(key)&p=4.2.3.3.6"
    }

    static func identifier(_ key: String = key) -> ScannedIdentifier {
        ScannedIdentifier(
            type: "n", identifier: key, path: "4.2.3.3.6", classPointer: nil, url: url(key))
    }

    /// An instant so many seconds after the tests' beginning of time, by both clocks.
    static func moment(_ seconds: Double, boot: String = boot) -> Moment {
        Moment(
            at: Timestamp(milliseconds: 1_795_996_800_000 + Int64(seconds * 1000)), bootID: boot,
            bootNanoseconds: UInt64(seconds * 1e9))
    }

    /// A stored event whose body is as long as wanted.
    static func event(
        _ seq: Int64, type: String = "scan", reader: ReaderReference? = reader, size: Int = 40
    ) -> StoredEvent {
        StoredEvent(
            seq: seq, type: type, readerID: reader?.id, readerName: reader?.name, scan: nil,
            body: body(type, size: size))
    }

    static func draft(_ text: String, type: String = "scan", size: Int = 0) -> EventDraft {
        let fill = String(repeating: "x", count: size)
        return EventDraft(
            type: type, readerID: reader.id, readerName: reader.name, scan: nil,
            at: moment(0).at, body: Array(#"{"type":"\#(type)","text":"\#(text)\#(fill)"}"#.utf8))
    }

    private static func body(_ type: String, size: Int) -> [UInt8] {
        let frame = #"{"type":"\#(type)","text":""}"#
        let fill = String(repeating: "x", count: max(0, size - frame.utf8.count))
        return Array(#"{"type":"\#(type)","text":"\#(fill)"}"#.utf8)
    }

    /// A delivery that waits, with what the first answer to its scan was.
    static func row(
        _ id: String = "s1", of key: String = key, at moment: Moment = moment(0),
        failures: Failures = .none, firstAnswer: ResolutionEvent? = nil, account: String? = nil
    ) throws -> DeliveryRow {
        let answer = try firstAnswer.map { event in
            DeliveryRow.FirstAnswer(
                seq: 2,
                event: StoredEvent(
                    seq: 2, type: "resolution", readerID: event.reader.id,
                    readerName: event.reader.name, scan: id, body: try JSONLine.encode(event)))
        }
        return DeliveryRow(
            delivery: try delivery(id, of: key, at: moment, account: account), ordinal: 1,
            failures: failures, heldUntilBootNanoseconds: nil, error: nil, firstAnswer: answer)
    }

    static func delivery(
        _ id: String, of key: String = key, at moment: Moment = moment(0), account: String? = nil
    ) throws -> Delivery {
        let payload = ScanDelivery(reader: reader, identifier: identifier(key), location: nil)
        return Delivery(
            id: id, identifier: key, payload: try JSONLine.encode(payload), moment: moment,
            clockTrusted: true, origin: try JSONLine.encode(JobOrigin(reader: reader.name)),
            account: account)
    }

    /// A resolution that names an object.
    static func known(_ name: String = "Bicycle") -> Resolution {
        var known = Resolution(outcome: .knownObject)
        known.object = ObjectSummary(id: "o1", name: name, canEdit: true)
        return known
    }
}
