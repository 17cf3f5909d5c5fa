internal import LineProtocols
internal import NFCForum
internal import Scanning

/// Turns what a reader reports into an identifier, or into the reason why there is none.
struct Normaliser {
    /// The most bytes of a foreign tag's text that are published.
    static let contentLimit = 2048

    /// What a tag or code carries.
    struct Reading: Equatable {
        var tag: Tag?
        var identifier: ScannedIdentifier?
        var unrecognised: Unrecognised?
        var content: String?
    }

    private let tagURL: TagURL

    init(hosts: some Sequence<String>) {
        tagURL = TagURL(hosts: hosts)
    }

    /// Reads one arrival.
    func read(_ arrival: ReaderMessage.Arrival) -> Reading {
        var reading = contents(of: arrival)
        reading.tag = Self.tag(of: arrival)
        return reading
    }

    /// Reads a text that a local program submitted.
    func read(text: String) -> Reading {
        choose(text)
    }

    private func contents(of arrival: ReaderMessage.Arrival) -> Reading {
        switch arrival.problem {
        case .blank: return Reading(unrecognised: .blank)
        case .unsupported: return Reading(unrecognised: .unsupported)
        case .unreadable: return Reading(unrecognised: .unreadable)
        case nil: break
        }
        if let payload = arrival.payload {
            guard let bytes = Hex.decode(payload) else { return Reading(unrecognised: .unreadable) }
            return choose(Self.text(of: bytes))
        }
        guard let ndef = arrival.ndef else {
            return Reading(unrecognised: Self.uid(of: arrival) == nil ? .unsupported : .uidOnly)
        }
        return message(ndef)
    }

    private func message(_ hex: String) -> Reading {
        guard let bytes = Hex.decode(hex), let message = try? NDEFMessage(bytes) else {
            return Reading(unrecognised: .unreadable)
        }
        guard !message.isBlank else { return Reading(unrecognised: .blank) }
        // A whole tag URL counts before one of ours that is broken, wherever the two stand.
        let whole = message.contents.first { isIdentifier($0.text) }
        let chosen = whole ?? message.chosen { tagURL.read($0) == .malformed }
        return choose(chosen?.text)
    }

    private func isIdentifier(_ text: String) -> Bool {
        guard case .identifier = tagURL.read(text) else { return false }
        return true
    }

    private func choose(_ text: String?) -> Reading {
        guard let text else { return Reading(unrecognised: .foreign) }
        switch tagURL.read(text) {
        case .identifier(let identifier): return Reading(identifier: identifier)
        case .malformed: return Reading(unrecognised: .malformed, content: Self.content(text))
        case .foreign: return Reading(unrecognised: .foreign, content: Self.content(text))
        }
    }

    private static func content(_ text: String) -> String {
        EscapedText.withoutControls(text, limit: contentLimit)
    }

    /// A code's bytes as text: UTF-8 where they are that, else Latin-1, in which all bytes are.
    private static func text(of bytes: [UInt8]) -> String {
        String(validating: bytes, as: UTF8.self)
            ?? String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
    }

    private static func tag(of arrival: ReaderMessage.Arrival) -> Tag? {
        let technology = arrival.technology ?? (arrival.payload == nil ? nil : "barcode")
        let uid = uid(of: arrival)
        guard technology != nil || uid != nil else { return nil }
        // A random UID is said as such, a lasting one by saying nothing.
        let isRandom = uid != nil && arrival.uidRandom == true
        return Tag(
            technology: technology, kind: arrival.kind, uid: uid,
            uidRandom: isRandom ? true : nil)
    }

    /// The UID where it is the tag's own and not made up for this tap: what the tag is known by again.
    static func lastingUID(of arrival: ReaderMessage.Arrival) -> String? {
        arrival.uidRandom == true ? nil : uid(of: arrival)
    }

    /// The UID in lower case, unless it is empty or zeros, as some chips and readers give where
    /// there is none, or no hexadecimal at all.
    static func uid(of arrival: ReaderMessage.Arrival) -> String? {
        guard let bytes = arrival.uid.flatMap(Hex.decode), bytes.contains(where: { $0 != 0 }) else {
            return nil
        }
        return Hex.encode(bytes)
    }
}
