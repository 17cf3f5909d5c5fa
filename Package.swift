// swift-tools-version: 6.0
import PackageDescription

// MemberImportVisibility is known from 6.1 on; the older compiler builds the same sources without it.
#if compiler(>=6.1)
    let memberImports: [SwiftSetting] = [.enableUpcomingFeature("MemberImportVisibility")]
#else
    let memberImports: [SwiftSetting] = []
#endif
let settings: [SwiftSetting] =
    memberImports + [
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("InternalImportsByDefault"),
    ]

func module(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
    .target(name: name, dependencies: dependencies, swiftSettings: settings)
}

func program(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .executableTarget(name: name, dependencies: dependencies, swiftSettings: settings)
}

func tests(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .testTarget(
        name: name, dependencies: dependencies, exclude: fixtures(name), swiftSettings: settings)
}

/// The folder of recorded inputs beside a test target, which is read by path and not bundled.
func fixtures(_ name: String) -> [String] {
    ["NFCForumTests"].contains(name) ? ["Fixtures"] : []
}

func systemLibrary(_ name: String, _ pkgConfig: String, _ debian: String) -> Target {
    .systemLibrary(
        name: name, path: "Sources/CLibraries/\(name)", pkgConfig: pkgConfig,
        providers: [.apt([debian])])
}

/// The fuzzer has its entry in a library of the toolchain's, so that it links only with
/// `--sanitize fuzzer`; scripts/fuzz asks for it.
let fuzzer: [Target] =
    Context.environment["PLINGS_FUZZ"] == nil
    ? []
    : [
        .executableTarget(
            name: "plings-fuzz", dependencies: ["FuzzTargets"], path: "Tests/Fuzzing/Program",
            swiftSettings: settings + [.unsafeFlags(["-parse-as-library"])])
    ]

let package = Package(
    name: "plings-station",
    products: [
        .executable(name: "plingsd", targets: ["plingsd"]),
        .executable(name: "plingsctl", targets: ["plingsctl"]),
        .executable(name: "plings-pcsc", targets: ["plings-pcsc"]),
    ],
    targets: [
        systemLibrary("CPCSC", "libpcsclite", "libpcsclite-dev"),
        systemLibrary("CSQLite", "sqlite3", "libsqlite3-dev"),
        systemLibrary("CCurl", "libcurl", "libcurl4-openssl-dev"),
        systemLibrary("CSystemd", "libsystemd", "libsystemd-dev"),
        .target(name: "CLinux", path: "Sources/CLibraries/CLinux"),
        .target(name: "CTOML", path: "Sources/CLibraries/CTOML"),

        module("Scanning"),
        module("NFCForum", ["Scanning"]),
        module("LineProtocols", ["Scanning"]),
        module("Platform", ["CLinux"]),
        module("ServiceManager", ["Platform", "CSystemd"]),
        module("PlingsAPI", ["Scanning", "Platform", "CCurl"]),
        module("Storage", ["Scanning", "Platform", "CSQLite"]),
        module("Configuration", ["CTOML"]),
        module("ReaderKit", ["Scanning", "LineProtocols", "Platform"]),
        module(
            "PCSCReader",
            ["Scanning", "NFCForum", "LineProtocols", "Platform", "ReaderKit", "CPCSC"]),
        module(
            "Station",
            [
                "Scanning", "NFCForum", "LineProtocols", "Platform", "ServiceManager", "PlingsAPI",
                "Storage", "Configuration",
            ]),
        module(
            "Doctor", ["Scanning", "LineProtocols", "Platform", "Configuration", "PlingsAPI"]),
        module("StationClient", ["Scanning", "LineProtocols", "Platform", "Doctor"]),

        program("plingsd", ["Station"]),
        program("plingsctl", ["StationClient"]),
        program("plings-pcsc", ["PCSCReader"]),

        tests("ScanningTests", ["Scanning"]),
        tests("NFCForumTests", ["NFCForum", "Scanning"]),
        tests("LineProtocolsTests", ["LineProtocols", "Scanning", "Platform", "TestRig"]),
        tests("PlatformTests", ["Platform", "TestRig"]),
        tests("PlingsAPITests", ["PlingsAPI", "Scanning", "Platform", "TestRig"]),
        tests("StorageTests", ["Storage", "Scanning", "Platform", "TestRig"]),
        tests("ConfigurationTests", ["Configuration"]),
        tests(
            "ReaderTests",
            [
                "PCSCReader", "ReaderKit", "NFCForum", "LineProtocols", "Scanning", "Platform",
                "TestRig",
            ]),
        tests(
            "StationClientTests",
            ["StationClient", "LineProtocols", "Scanning", "Platform", "Doctor", "TestRig"]),
        tests(
            "DoctorTests",
            [
                "Doctor", "Configuration", "PlingsAPI", "LineProtocols", "Scanning", "Platform",
                "TestRig",
            ]),
        tests(
            "StationTests",
            [
                "Station", "StationClient", "Scanning", "LineProtocols", "Platform", "Storage",
                "PlingsAPI", "Configuration", "TestRig",
            ]),
        tests("RepositoryTests", ["TestRig", "LineProtocols", "Scanning", "Platform"]),
        .target(
            name: "TestRig", dependencies: ["Scanning", "LineProtocols", "Platform"],
            path: "Tests/TestRig", swiftSettings: settings),
        .target(
            name: "FuzzTargets",
            dependencies: ["NFCForum", "Scanning", "LineProtocols", "PlingsAPI", "Configuration"],
            path: "Tests/Fuzzing/Targets", swiftSettings: settings),
        .testTarget(
            name: "FuzzingTests", dependencies: ["FuzzTargets", "TestRig"],
            path: "Tests/Fuzzing/Replay", swiftSettings: settings),
    ] + fuzzer,
    swiftLanguageModes: [.v6],
    cLanguageStandard: .c11,
    cxxLanguageStandard: .cxx17
)
