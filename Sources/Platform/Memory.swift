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
}
