internal import TestRig

/// The shared libraries that a program may load: those it was made for, theirs, and the runtime's.
struct SharedLibraries {
    /// The libraries of each program beside the runtime's, without `lib` and version.
    let table: [String: Set<String>]

    static let station = SharedLibraries(table: [
        "plingsd": ["curl", "sqlite3", "systemd"],
        "plingsctl": ["curl"],
        "plings-pcsc": ["pcsclite"],
    ])

    /// What Swift, C++ and C need themselves.
    private static let runtime: Set<String> = [
        "BlocksRuntime", "FoundationEssentials", "c", "dispatch", "dl", "gcc_s", "m", "pthread",
        "rt", "stdc++",
    ]

    /// One line of ldd.
    struct Loaded: Hashable {
        /// As ldd prints it: `libcurl.so.4`, or a path.
        let name: String
        /// Where it was found; nil for the kernel's own and for what is missing.
        let path: String?

        /// The name without folder, `lib` and version.
        var stem: String {
            let file = name.split(separator: "/").last ?? ""
            let bare = file.hasPrefix("lib") ? file.dropFirst(3) : file
            return bare.split(separator: ".").first.map(String.init) ?? ""
        }

        var isRuntime: Bool {
            SharedLibraries.runtime.contains(stem) || stem.hasPrefix("swift")
                || stem.hasPrefix("ld-linux") || stem == "linux-vdso"
        }
    }

    /// What ldd prints for a program or library.
    static func parse(_ output: String) -> [Loaded] {
        output.split(separator: "\n").compactMap { line in
            let words = line.split { $0 == " " || $0 == "\t" }
            guard let name = words.first, words.count > 1 else { return nil }
            let found = words[1] == "=>" && words.count > 2 && words[2].hasPrefix("/")
            return Loaded(name: String(name), path: found ? String(words[2]) : nil)
        }
    }

    /// The libraries a program loads that it has no right to.
    ///
    /// - Parameters:
    ///   - program: Its name in the table.
    ///   - loaded: What ldd found that it loads.
    ///   - needs: What a library loads in its turn.
    /// - Returns: A sentence about each.
    func complaints(
        about program: String, loading loaded: [Loaded], needs: (Loaded) async throws -> [Loaded]
    ) async rethrows -> [String] {
        guard let own = table[program] else { return ["\(program) is not in the table"] }
        var allowed: Set<String> = []
        for library in loaded where own.contains(library.stem) {
            allowed.formUnion(try await needs(library).map(\.name) + [library.name])
        }
        return loaded.filter { !$0.isRuntime && !allowed.contains($0.name) }.map {
            "\(program) loads \($0.name); of libraries it may load "
                + (own.isEmpty ? "the runtime's alone" : own.sorted().joined(separator: ", "))
        }
    }
}
