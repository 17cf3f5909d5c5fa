/// One import of one source file.
struct Import {
    /// The file's path below Sources.
    let file: String
    let imported: String

    /// The module that the file belongs to: the folder it lies in.
    var module: String { file.split(separator: "/").first.map(String.init) ?? "" }
}

/// Which module may import which: the one table of the project.
struct Arrows {
    let table: [String: Set<String>]

    static let station = Arrows(table: [
        "Scanning": [],
        "NFCForum": ["Scanning"],
        "LineProtocols": ["Scanning"],
        "Platform": ["CLinux"],
        "ServiceManager": ["Platform", "CSystemd"],
        "PlingsAPI": ["Scanning", "Platform", "CCurl"],
        "Storage": ["Scanning", "Platform", "CSQLite"],
        "Configuration": ["Scanning", "CTOML"],
        "ReaderKit": ["Scanning", "LineProtocols", "Platform"],
        "PCSCReader": [
            "Scanning", "NFCForum", "LineProtocols", "Platform", "ReaderKit", "CPCSC",
        ],
        "Station": [
            "Scanning", "NFCForum", "LineProtocols", "Platform", "ServiceManager", "PlingsAPI",
            "Storage", "Configuration",
        ],
        "Doctor": ["Scanning", "LineProtocols", "Platform", "Configuration", "PlingsAPI"],
        "StationClient": ["Scanning", "LineProtocols", "Platform", "Doctor"],
        "plingsd": ["Station", "Configuration", "Platform", "ServiceManager"],
        "plingsctl": ["StationClient"],
        "plings-pcsc": ["PCSCReader"],
    ])

    /// The modules that are values and state machines alone: no system calls, no locks.
    private static let pure: Set<String> = ["Scanning", "NFCForum", "LineProtocols"]

    /// The toolchain's modules that one of ours may import; not Foundation, which takes more memory
    /// than the whole station.
    private func system(_ module: String) -> Set<String> {
        Self.pure.contains(module)
            ? ["FoundationEssentials"] : ["FoundationEssentials", "Glibc", "Synchronization"]
    }

    /// What is wrong with some imports.
    func complaints(about imports: [Import]) -> [String] {
        imports.compactMap { found in
            guard let allowed = table[found.module] else {
                return "\(found.file): the table of arrows has no module \(found.module)"
            }
            let all = allowed.union(system(found.module))
            if all.contains(found.imported) { return nil }
            return "\(found.file): \(found.module) may not import \(found.imported), "
                + "only \(Self.list(all))"
        }
    }

    /// What a manifest has otherwise than the table.
    func complaints(about manifest: Manifest) -> [String] {
        let unknown = Set(manifest.modules.map(\.name)).symmetricDifference(table.keys).sorted()
        return manifest.packages.map { "Package.swift takes in a package (\($0))" }
            + unknown.map { "Package.swift or the table of arrows lacks \($0)" }
            + manifest.modules.flatMap(complaints(about:))
    }

    private func complaints(about module: Manifest.Target) -> [String] {
        let allowed = table[module.name] ?? []
        return Set(module.dependencies).subtracting(allowed).sorted().map {
            "Package.swift: \(module.name) may not depend on \($0), only \(Self.list(allowed))"
        }
    }

    /// The imports of our modules that a manifest doesn't declare.
    ///
    /// SwiftPM lets them through where another dependency brings the module along.
    static func complaints(
        about imports: [Import], undeclaredIn manifest: Manifest
    ) -> [String] {
        let own = Set(manifest.targets.map(\.name))
        let declared = Dictionary(
            manifest.targets.map { ($0.name, Set($0.dependencies)) }, uniquingKeysWith: { $1 })
        return imports.compactMap { found in
            guard own.contains(found.imported) else { return nil }
            if declared[found.module]?.contains(found.imported) == true { return nil }
            return "\(found.file): Package.swift doesn't declare that \(found.module) depends on "
                + found.imported
        }
    }

    /// The C modules that not exactly one module may import.
    func complaintsAboutDoors(to cModules: [String]) -> [String] {
        cModules.sorted().compactMap { library in
            let doors = table.filter { $0.value.contains(library) }.keys
            if doors.count == 1 { return nil }
            return "\(library) may be imported by \(Self.list(doors)); a C module has one door"
        }
    }

    private static func list(_ names: some Sequence<String>) -> String {
        let names = names.sorted()
        return names.isEmpty ? "nothing" : names.joined(separator: ", ")
    }
}
