internal import FoundationEssentials
internal import TestRig
internal import Testing

/// What every Swift source under Sources imports.
private func sourceImports() async throws -> [Import] {
    try await Repository.files()
        .filter { $0.hasPrefix("Sources/") && $0.hasSuffix(".swift") }
        .flatMap { file in
            SwiftImports.modules(in: Repository.text(of: file) ?? "").map {
                Import(file: String(file.dropFirst("Sources/".count)), imported: $0)
            }
        }
}

@Test("every source imports only what the table of arrows lets its module import")
func importsFollowTheArrows() async throws {
    let imports = try await sourceImports()
    try #require(imports.count > 20)
    #expect(Arrows.station.complaints(about: imports) == [])
}

@Test("the manifest has the table's modules and no dependency beyond it, none from outside")
func manifestFollowsTheArrows() async throws {
    let manifest = try await Manifest.current()
    try #require(manifest.modules.count > 10)
    #expect(Arrows.station.complaints(about: manifest) == [])
    #expect(Arrows.station.complaintsAboutDoors(to: manifest.cModules) == [])
    #expect(try await Arrows.complaints(about: sourceImports(), undeclaredIn: manifest) == [])
}

@Test(
    "a planted import is told with its file",
    arguments: [
        (
            Import(file: "Station/Pipeline/Scans.swift", imported: "CSQLite"),
            "Station/Pipeline/Scans.swift: Station may not import CSQLite, only Configuration, "
                + "FoundationEssentials, Glibc, LineProtocols, NFCForum, Platform, PlingsAPI, "
                + "Scanning, ServiceManager, Storage, Synchronization"
        ),
        (
            Import(file: "Scanning/Tag.swift", imported: "Glibc"),
            "Scanning/Tag.swift: Scanning may not import Glibc, only FoundationEssentials"
        ),
        (
            Import(file: "plings-pcsc/Main.swift", imported: "Foundation"),
            "plings-pcsc/Main.swift: plings-pcsc may not import Foundation, "
                + "only FoundationEssentials, Glibc, PCSCReader, Synchronization"
        ),
        (
            Import(file: "Helpers/Text.swift", imported: "Scanning"),
            "Helpers/Text.swift: the table of arrows has no module Helpers"
        ),
    ])
func plantedImport(planted: Import, complaint: String) {
    #expect(Arrows.station.complaints(about: [planted]) == [complaint])
}

@Test("an import that only another dependency brings along is told")
func plantedUndeclaredImport() {
    let manifest = Manifest(
        targets: [
            .init(name: "Scanning", type: "regular", dependencies: []),
            .init(name: "Station", type: "regular", dependencies: ["Scanning"]),
            .init(name: "plingsd", type: "executable", dependencies: ["Station"]),
        ], packages: [])
    let planted = Import(file: "plingsd/Main.swift", imported: "Scanning")
    #expect(
        Arrows.complaints(about: [planted], undeclaredIn: manifest) == [
            "plingsd/Main.swift: Package.swift doesn't declare that plingsd depends on Scanning"
        ])
}

@Test("a planted dependency, module, package and second door are told")
func plantedDependency() throws {
    let json = """
        {"dependencies": [{"sourceControl": [{"identity": "swift-nio"}]}],
         "targets": [
            {"name": "Scanning", "type": "regular", "dependencies": [{"byName": ["CCurl", null]}]},
            {"name": "Extra", "type": "executable", "dependencies": []},
            {"name": "CCurl", "type": "system", "path": "Sources/CLibraries/CCurl",
             "dependencies": []}]}
        """
    let manifest = try JSONDecoder().decode(Manifest.self, from: Data(json.utf8))
    let arrows = Arrows(table: ["Scanning": [], "Storage": ["CCurl"], "PlingsAPI": ["CCurl"]])
    #expect(
        arrows.complaints(about: manifest) == [
            "Package.swift takes in a package (sourceControl)",
            "Package.swift or the table of arrows lacks Extra",
            "Package.swift or the table of arrows lacks PlingsAPI",
            "Package.swift or the table of arrows lacks Storage",
            "Package.swift: Scanning may not depend on CCurl, only nothing",
        ])
    #expect(
        arrows.complaintsAboutDoors(to: manifest.cModules) == [
            "CCurl may be imported by PlingsAPI, Storage; a C module has one door"
        ])
}

private let importFormsCases: [(String, [String])] = [
    ("import Glibc", ["Glibc"]),
    ("internal import Glibc; package import Scanning", ["Glibc", "Scanning"]),
    ("@_implementationOnly import CCurl", ["CCurl"]),
    ("@preconcurrency @testable\npublic\nimport\n  Storage", ["Storage"]),
    ("import struct FoundationEssentials.Data", ["FoundationEssentials"]),
    ("/* a /* nested */ remark */ import CSystemd // import CNFC", ["CSystemd"]),
    ("#if canImport(Foundation)\nimport Foundation\n#endif", ["Foundation"]),
    ("import `CTOML`", ["CTOML"]),
    ("// import Dispatch\n/// import Dispatch", []),
    (#"let text = "\" import Dispatch ""#, []),
    ("let text = \"\"\"\n    import Dispatch\n    \"\"\"", []),
    ("let text = #\"\"import Dispatch \\\"#\nimport Glibc", ["Glibc"]),
    ("job.import(from: a)\nrun(import: b)\nfunc `import`() {}", []),
]

@Test(
    "an import is found in whatever form it is written",
    arguments: importFormsCases)
func importForms(source: String, modules: [String]) {
    #expect(SwiftImports.modules(in: source) == modules)
}
