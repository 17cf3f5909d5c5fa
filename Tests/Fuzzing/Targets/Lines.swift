internal import LineProtocols

/// Cuts the bytes into lines as they would come in two reads.
private func lines(of bytes: [UInt8]) throws -> [[UInt8]] {
    var whole = LineSplitter()
    var cut = LineSplitter()
    let half = bytes.count / 2
    let lines = whole.append(bytes)
    try demand(
        cut.append(bytes[..<half]) + cut.append(bytes[half...]) == lines,
        "the lines depend on how they came")
    try demand(whole.pendingBytes <= LineSplitter.limit + 1, "more is kept than one line")
    return lines
}

extension FuzzTarget {
    /// What a client sends.
    static let stationRequest = FuzzTarget(
        "station-request",
        dictionary: [
            "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"", "\"params\":{", "subscribe",
            "unsubscribe",
            "status", "scan.submit", "outbox.list", "\"types\":[", "\"readers\":[", "\"since\":",
            "\"start\"", "\"now\"", "\"log\":", "\"url\":", "null", "true", "[", "]", "{", "}",
            "}}",
            "\\u0000", "\\ud800", "-1", "1e999", "18446744073709551615", "\n",
        ]
    ) { bytes in
        var found = false
        for line in try lines(of: bytes) {
            switch StationRequest.read(line) {
            case .notification: continue
            case .refused(let error, _):
                try demand(!error.message.isEmpty, "refused without a reason")
            case .request(let request):
                found = try parameters(of: request) || found
            }
        }
        return found
    }

    private static func parameters(of request: StationRequest) throws -> Bool {
        let reply = StationLine.reply(request.id, EmptyObject())
        try demand(!reply.dropLast().contains(UInt8(ascii: "\n")), "a reply of several lines")
        do throws(RequestError) {
            let subscribe = try request.parameters(SubscribeParameters.self)
            return subscribe.readers != nil && subscribe.log == nil
        } catch {
            try demand(
                error.path != nil || error.code == .invalidRequest, "no place for a bad parameter")
            return false
        }
    }

    /// What a reader program says.
    static let readerLine = FuzzTarget(
        "reader-line",
        dictionary: [
            "{\"reader\":{\"protocol\":1,\"program\":\"p\",\"version\":\"1\"}}", "{\"device\":{",
            "{\"arrive\":{", "{\"depart\":{", "{\"alive\":{}}", "\"id\":", "\"name\":",
            "\"state\":",
            "\"ready\"", "\"degraded\"", "\"device\":", "\"token\":", "\"medium\":", "\"nfc\"",
            "\"bootNanoseconds\":", "\"uid\":", "\"uidRandom\":true,", "\"ndef\":", "\"payload\":",
            "\"problem\":", "\"blank\"", "\"unreadable\"", "\"reason\":", "\"present\":true", "\n",
        ]
    ) { bytes in
        var found = false
        for line in try lines(of: bytes) {
            guard let message = try? JSONLine.decode(ReaderMessage.self, from: line) else {
                continue
            }
            let again = try JSONLine.encode(message)
            let same = try JSONLine.decode(ReaderMessage.self, from: again) == message
            try demand(same, "a message changes when it is written and read")
            guard case .arrive(let arrival) = message else { continue }
            let isFound = arrival.technology == nil && arrival.ndef != nil
            found = found || isFound
        }
        return found
    }
}
