package import LineProtocols
internal import Synchronization

/// Turns what a presence tracker decides into messages, with a token for each presence.
package struct PresenceReporter: Sendable {
    private let device: String
    private var token = ""

    /// - Parameter device: The id of the device that the tags are on.
    package init(device: String) {
        self.device = device
    }

    /// The messages that tell of these actions.
    package mutating func messages(
        for actions: [PresenceTracker.Action]
    ) -> [ReaderMessage] {
        actions.map { message(for: $0) }
    }

    private mutating func message(for action: PresenceTracker.Action) -> ReaderMessage {
        switch action {
        case .arrive(let report, let detected):
            token = Self.newToken()
            return .arrive(
                .init(report, device: device, token: token, bootNanoseconds: detected))
        case .depart(let lastSeen):
            return .depart(.init(device: device, token: token, bootNanoseconds: lastSeen))
        }
    }

    private static let lastToken = Atomic<UInt64>(0)

    /// A word that no other presence of this process has.
    private static func newToken() -> String {
        String(lastToken.add(1, ordering: .relaxed).newValue)
    }
}
