/// One POST to the API.
struct HTTPRequest: Sendable {
    let endpoint: Endpoint
    /// The token of the `Authorization` header; nil leaves it out.
    let token: Secret?
    /// Further headers; control characters in them are left out.
    let headers: [HTTPHeader]
    let body: [UInt8]
    /// The longest answer that is taken, in bytes after decompression; at most 8 MiB.
    let answerLimit: Int
    /// From handing over to the last byte of the answer, redirects included.
    let timeout: Duration
}

/// A header to send.
struct HTTPHeader: Sendable, Equatable {
    let name: String
    let value: String

    /// `Name: value`, with nothing in it that could begin another line.
    var line: String { "\(name): \(safeValue)" }

    /// The value without control characters.
    var safeValue: String {
        let safe = value.unicodeScalars.filter { $0.value >= 0x20 && $0.value != 0x7f }
        return String(String.UnicodeScalarView(safe))
    }
}

/// What the API answered, whatever it means.
struct HTTPAnswer: Sendable, Equatable {
    var status = 0
    var fields = HTTPFields()
    var body: [UInt8] = []
}

/// The few headers of an answer that count here.
struct HTTPFields: Sendable, Equatable {
    private(set) var location: String?
    private(set) var retryAfter: String?
    private(set) var date: String?
    private(set) var contentType: String?

    /// The longest value that is kept, in bytes.
    static let valueLimit = 4096

    /// Takes in one header line as it came; the first of repeated ones counts.
    mutating func read(_ line: UnsafeRawBufferPointer) {
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else { return }
        let name = String(decoding: line[..<colon], as: UTF8.self).lowercased()
        let value = line[(colon + 1)...].trimmingBlanks()
        guard value.count <= Self.valueLimit else { return }
        let text = String(decoding: value, as: UTF8.self)
        switch name {
        case "location": location = location ?? text
        case "retry-after": retryAfter = retryAfter ?? text
        case "date": date = date ?? text
        case "content-type": contentType = contentType ?? text
        default: break
        }
    }
}

extension Slice<UnsafeRawBufferPointer> {
    fileprivate func trimmingBlanks() -> Slice<UnsafeRawBufferPointer> {
        guard let first = firstIndex(where: { $0 > 0x20 }),
            let last = lastIndex(where: { $0 > 0x20 })
        else { return self[endIndex...] }
        return self[first...last]
    }
}
