internal import Platform

/// Who may do what on the station's socket.
///
/// Whoever can connect may watch; the file's mode and group decide that. Acting needs more. The
/// readers that the station started may do neither: they are the part that touches the outside.
struct Permissions: Equatable {
    let mayWatch: Bool
    let mayAct: Bool

    /// Judges a peer.
    ///
    /// - Parameters:
    ///   - peer: Who connected; nil where the kernel could not say.
    ///   - daemonUser: The uid that the daemon acts as.
    ///   - controlGroup: The group whose members may act, where it exists.
    ///   - readers: The processes of our own readers.
    init(
        of peer: UnixSocket.Peer?, daemonUser: UInt32, controlGroup: UInt32?, readers: Set<Int32>
    ) {
        guard let peer, !readers.contains(peer.pid) else {
            mayWatch = false
            mayAct = false
            return
        }
        mayWatch = true
        mayAct =
            peer.uid == 0 || peer.uid == daemonUser
            || controlGroup.map(peer.groups.contains) ?? false
    }

    /// The words of the hello.
    var words: [String] { (mayWatch ? ["watch"] : []) + (mayAct ? ["act"] : []) }
}
