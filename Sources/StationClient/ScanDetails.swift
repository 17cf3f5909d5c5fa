/// What is said of a scan.
enum ScanDetails {
    /// How many characters of an instance key stand for it where people read.
    private static let codeLength = 6
    private static let contentLimit = 80

    static func of(_ event: JSONValue) -> [Detail] {
        var details: [Detail] = []
        if let identifier = event["identifier"] {
            details += [code(of: identifier), path(of: identifier)].compactMap { $0 }
        }
        if let word = event["unrecognised"] { details.append(unrecognised(word, event)) }
        if let tag = event["tag"] {
            details += [description(of: tag)].compactMap { $0 }
        } else if let medium = event["medium"]?.shown(limit: 24) {
            details.append(Detail(medium == "manual" ? "by hand" : medium))
        }
        return details
    }

    /// The short code of an identifier.
    static func code(of identifier: JSONValue) -> Detail? {
        guard let key = identifier["identifier"]?.word else { return nil }
        return Detail(TerminalText.escape(key.prefix(codeLength)), .accent)
    }

    private static func path(of identifier: JSONValue) -> Detail? {
        identifier["path"]?.shown().map { Detail("path \($0)") }
    }

    private static func unrecognised(_ reason: JSONValue, _ event: JSONValue) -> Detail {
        let word = reason.shown(limit: 24) ?? "for an unknown reason"
        let content = event["content"]?.shown(limit: contentLimit)
        let more = content ?? reason.word.flatMap(explanation)
        return Detail("unrecognised: \(word)" + (more.map { " (\($0))" } ?? ""), .notice)
    }

    /// What a word for an unrecognised tag means; nil for a newer daemon's word.
    static func explanation(_ unrecognised: String) -> String? {
        switch unrecognised {
        case "blank": "an empty tag"
        case "foreign": "something that is not ours"
        case "malformed": "our host, but not a valid tag URL"
        case "unsupported": "a type of tag that can't be read"
        case "unreadable": "it was pulled away, or it is protected"
        case "uidOnly": "a UID and nothing else"
        default: nil
        }
    }

    private static func description(of tag: JSONValue) -> Detail? {
        let kind = tag["kind"]?.shown() ?? tag["technology"]?.shown()
        let uid = tag["uid"]?.shown().map { uid in
            tag["uidRandom"]?.boolean == true ? "\(uid) (random)" : uid
        }
        let parts = [kind, uid].compactMap { $0 }
        return parts.isEmpty ? nil : Detail(parts.joined(separator: " "))
    }
}
