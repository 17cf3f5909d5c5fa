internal import CLinux
internal import Glibc

/// A program that never outlives the one that started it.
package enum ParentDeath {
    /// Has the kernel kill this process when its parent dies.
    ///
    /// Source: prctl(2), PR_SET_PDEATHSIG. It is the parent's *thread* that counts, so the parent
    /// starts its children from a thread that lives as long as itself. A parent that dies before
    /// the call is noticed by the change of parent; one that died before this process looked at
    /// all is noticed by the end of standard input.
    package static func kill() {
        let parent = getppid()
        _ = plings_signal_at_parent_death(SIGKILL)
        if getppid() != parent { _exit(0) }
    }
}
