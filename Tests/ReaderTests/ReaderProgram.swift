import LineProtocols
import Platform
import Scanning
import Synchronization
import TestRig
import Testing

/// plings-pcsc as a process, and what it says.
final class ReaderProgram: Sendable {
    let process: VirtualProcess
    private let next = Mutex(0)

    init(
        _ readers: VirtualReaders, _ arguments: [String] = [],
        environment: [String: String] = [:]
    ) throws {
        process = try VirtualProcess(
            [Repository.program("plings-pcsc")] + arguments,
            environment: readers.environment.merging(environment) { $1 })
    }

    /// Everything it has said so far.
    var messages: [ReaderMessage] {
        process.output.all.compactMap(Self.message)
    }

    private static func message(_ line: String) -> ReaderMessage? {
        let message = try? JSONLine.decode(ReaderMessage.self, from: Array(line.utf8))
        if message == nil { Issue.record("not a message: \(line)") }
        return message
    }

    /// The next message that fits; those in between are passed over.
    func await<Result>(
        _ what: String, within limit: Duration = .seconds(20),
        sourceLocation: SourceLocation = #_sourceLocation, _ fits: (ReaderMessage) -> Result?
    ) async throws -> Result {
        let start = next.withLock { $0 }
        let found = await process.output.first(from: start, within: limit) { line in
            Self.message(line).flatMap(fits)
        }
        let said = process.output.all.dropFirst(start).joined(separator: "\n")
        let complaints = process.errors.all.joined(separator: "\n")
        let result = try #require(
            found, "no \(what); it said:\n\(said)\n\(complaints)", sourceLocation: sourceLocation)
        next.withLock { $0 = result.next }
        return result.result
    }

    func arrival(
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> ReaderMessage.Arrival {
        try await self.await("arrival", sourceLocation: sourceLocation) { message in
            if case .arrive(let arrival) = message { arrival } else { nil }
        }
    }

    func departure(
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> ReaderMessage.Departure {
        try await self.await("departure", sourceLocation: sourceLocation) { message in
            if case .depart(let departure) = message { departure } else { nil }
        }
    }

    func device(
        _ state: DeviceState, id: String? = nil, within limit: Duration = .seconds(20),
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> ReaderMessage.Device {
        let what = "device \(id ?? "") \(state)"
        return try await self.await(what, within: limit, sourceLocation: sourceLocation) {
            guard case .device(let device) = $0, device.state == state,
                id == nil || device.id == id
            else { return nil }
            return device
        }
    }

    /// Waits for so many complaints.
    func complaints(
        _ count: Int, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> [String] {
        let found = await VirtualLines.poll(within: .seconds(20)) {
            process.errors.all.count >= count ? process.errors.all : nil
        }
        return try #require(found, "\(process.errors.all)", sourceLocation: sourceLocation)
    }

    /// How often it has told of tags that came and went.
    var counts: (arrivals: Int, departures: Int) {
        var counts = (arrivals: 0, departures: 0)
        for message in messages {
            if case .arrive = message { counts.arrivals += 1 }
            if case .depart = message { counts.departures += 1 }
        }
        return counts
    }
}

/// Descriptions of tags for the virtual readers.
enum TagText {
    static let url = "https://s.plings.io/?t=n&i=4kyQCd5tMDjJVWJH5h9gf&p=2.3.7.2&cp=3b9e1Q"
    static let urlMessage =
        "d1013d5504" + Hex.encode(Array(url.utf8.dropFirst("https://".utf8.count)))

    /// An NTAG213 with the tag URL behind a lock-control TLV.
    static func ntag213(uid: String = "04a1b2c3d4e5f6", _ more: String = "") -> String {
        """
        {"kind":"ntag213","uid":"\(uid)","uri":"\(url)","pre":["lock"]\
        \(more.isEmpty ? "" : ",\(more)")}
        """
    }
}
