internal import Glibc

/// What becomes of a write that nobody reads any more.
enum BrokenPipes {
    /// Has such writes fail with EPIPE for the rest of the process, in place of ending it.
    static let areErrors: Void = {
        _ = signal(SIGPIPE, SIG_IGN)
    }()
}
