import FoundationEssentials
import LineProtocols
import Synchronization

/// The hand that puts tags on virtual readers and takes them away.
///
/// All tags are gone with the value that holds it.
package final class VirtualTags: Sendable {
    /// A line of what tags.py tells.
    package struct Event: Decodable, Sendable {
        package let ev: String
        package let id: Int?
        package let port: Int?
        package let uid: String?
        /// How many commands the tag has answered.
        package let apdus: Int?
        package let why: String?
        /// The moment on CLOCK_BOOTTIME.
        package let bootNs: UInt64
        /// A command and its answer, in hexadecimal.
        package let c: String?
        package let r: String?
    }

    private let process: VirtualProcess
    private let lastID = Mutex(0)

    package init() throws {
        process = try VirtualProcess(
            ["python3", Repository.path("sandbox/readers/tags.py"), "-"])
    }

    /// Carries out one line of a script and waits until it is done.
    ///
    /// - Parameter step: A JSON object; see sandbox/readers.
    /// - Throws: `VirtualReaders.Failure` with what is wrong.
    package func perform(_ step: String) async throws {
        let id = lastID.withLock { last in
            last += 1
            return last
        }
        process.write("{\"id\":\(id),\(step.drop { $0 != "{" }.dropFirst())\n")
        let answer = await process.output.first(from: 0) { line in
            Self.event(line).flatMap { $0.id == id ? $0 : nil }
        }
        guard let answer, answer.result.ev == "ack" else {
            let why = answer?.result.why ?? process.errors.all.joined(separator: "\n")
            throw VirtualReaders.Failure(description: "tags.py: \(step): \(why)")
        }
    }

    /// Puts a tag on a reader.
    ///
    /// - Parameters:
    ///   - port: The reader's.
    ///   - tag: The tag's description, a JSON object.
    /// - Throws: `VirtualReaders.Failure` with what is wrong.
    package func insert(_ port: Int, _ tag: String) async throws {
        try await perform("{\"port\":\(port),\"insert\":\(tag)}")
    }

    /// Takes the tag from a reader.
    package func remove(_ port: Int) async throws {
        try await perform("{\"port\":\(port),\"remove\":true}")
    }

    /// What has happened on a reader so far.
    package func events(_ port: Int) -> [Event] {
        process.output.all.compactMap(Self.event).filter { $0.port == port }
    }

    private static func event(_ line: String) -> Event? {
        try? JSONLine.decode(Event.self, from: Array(line.utf8))
    }
}
