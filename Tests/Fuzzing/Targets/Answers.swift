internal import PlingsAPI
internal import Scanning

extension FuzzTarget {
    /// What the API answers: a status line, headers, an empty line and the body.
    static let apiAnswer = FuzzTarget(
        "api-answer",
        dictionary: [
            "200\n", "401\n", "429\n", "503\n", "Retry-After: 3\n", "Content-Type: text/html\n",
            "\n\n", "{\"data\":{\"resolveIdentifier\":{", "\"success\":true", "\"object\":{",
            "\"objectId\":", "\"candidates\":[", "\"routing\":{", "\"action\":", "\"parameters\":[",
            "{\"key\":", "\"value\":", "\"cacheTTL\":", "\"error\":{", "\"code\":", "\"message\":",
            "\"errors\":[{", "\"extensions\":{", "\"UNAUTHENTICATED\"", "\"FORBIDDEN\"", "null",
            "\"class\":{", "\"location\":{", "\"owner\":{", "\"statuses\":[", "1e400", "-1",
        ]
    ) { bytes in
        let (head, body) = split(bytes)
        let lines = head.split(separator: UInt8(ascii: "\n")).map(Array.init)
        let status = lines.first.flatMap { Int(String(decoding: $0.prefix(3), as: UTF8.self)) }
        do {
            let answer = try ResolveAnswer.read(
                status: status ?? 200, headers: Array(lines.dropFirst()), body: body)
            return try judge(answer, status ?? 200)
        } catch let error as APIFailure {
            try demand(!error.description.isEmpty, "a failure without words")
            try demand(error.description.utf8.count < 1000, "a failure of many words")
            return false
        }
    }

    private static func split(_ bytes: [UInt8]) -> (ArraySlice<UInt8>, [UInt8]) {
        var previous: UInt8 = 0
        for (index, byte) in bytes.enumerated() {
            if byte == UInt8(ascii: "\n"), previous == byte {
                return (bytes[..<index], Array(bytes[(index + 1)...]))
            }
            previous = byte
        }
        return ([], bytes)
    }

    private static func judge(_ answer: ResolveAnswer, _ status: Int) throws -> Bool {
        let resolution = answer.resolution
        try demand((200..<300).contains(status), "HTTP \(status) was taken for an answer")
        try demand(
            (resolution.object != nil) == (resolution.outcome == .knownObject),
            "an object and another outcome")
        try demand(
            (resolution.error != nil) == (resolution.outcome == .error), "an error and no outcome")
        try demand(answer.cacheTTL.map { $0 >= 0 } ?? true, "a negative time to live")
        try demand(resolution.object?.id.isEmpty != true, "an object without an id")
        return resolution.outcome == .knownObject && resolution.routing == nil
            && resolution.object?.owner == nil
    }
}
