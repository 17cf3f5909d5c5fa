internal import CLinux

/// The C library's memory allocator.
package enum Memory {
    /// Has all threads share one heap, before any of them allocates.
    ///
    /// A daemon with a handful of threads that mostly sleep gains nothing from a heap for each, and
    /// every heap keeps pages of its own. Source: mallopt(3), M_ARENA_MAX.
    package static func limitArenas() {
        plings_limit_arenas(1)
    }

    /// Keeps what is in memory, tokens among it, out of core dumps.
    ///
    /// The limit is used and not PR_SET_DUMPABLE, which would also take /proc/PID away from the
    /// daemon's own user. Dump handlers honour it too. Source: core(5), systemd-coredump(8).
    package static func forbidCoreDumps() {
        // It can only fail where the arguments are wrong.
        _ = plings_forbid_core_dumps()
    }
}
