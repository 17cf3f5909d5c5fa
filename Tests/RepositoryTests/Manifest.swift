internal import FoundationEssentials
internal import TestRig

/// What the tests need of a package's manifest, as `swift package dump-package` prints it.
struct Manifest {
    struct Target {
        let name: String
        let type: String
        var path: String?
        let dependencies: [String]
    }

    let targets: [Target]
    /// The kinds of packages that it takes in from outside.
    let packages: [String]

    /// The modules and programs under Sources that are written in Swift.
    var modules: [Target] {
        targets.filter { $0.type != "test" && $0.path == nil }
    }

    /// The names of the modules under Sources/CLibraries.
    var cModules: [String] {
        targets.filter { $0.path?.hasPrefix("Sources/CLibraries/") == true }.map(\.name)
    }

    /// The names of the programs.
    var programs: [String] {
        targets.filter { $0.type == "executable" }.map(\.name)
    }

    /// Reads this project's manifest; runs beside the SwiftPM that runs the tests.
    ///
    /// - Throws: `CommandFailure`, `DecodingError`.
    static func current() async throws -> Manifest {
        let folder = TestFolder()
        let dump = try await Command.output(
            "swift", "package", "--package-path", Repository.root, "--scratch-path", folder.path,
            "dump-package")
        // A remark on stderr may stand before it.
        let json = dump.drop { $0 != "{" }
        return try JSONDecoder().decode(Manifest.self, from: Data(json.utf8))
    }
}

extension Manifest: Decodable {
    private enum Keys: CodingKey { case targets, dependencies }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Keys.self)
        targets = try container.decode([Target].self, forKey: .targets)
        var outside = try container.nestedUnkeyedContainer(forKey: .dependencies)
        var packages: [String] = []
        while !outside.isAtEnd {
            let kinds = try outside.nestedContainer(keyedBy: AnyKey.self)
            packages += kinds.allKeys.map(\.stringValue)
        }
        self.packages = packages
    }
}

extension Manifest.Target: Decodable {
    private enum Keys: CodingKey { case name, type, path, dependencies }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Keys.self)
        name = try container.decode(String.self, forKey: .name)
        type = try container.decode(String.self, forKey: .type)
        path = try container.decodeIfPresent(String.self, forKey: .path)
        var list = try container.nestedUnkeyedContainer(forKey: .dependencies)
        var names: [String] = []
        while !list.isAtEnd {
            // {"byName": ["Scanning", null]}, with "target" or "product" in place of "byName"
            let dependency = try list.nestedContainer(keyedBy: AnyKey.self)
            for key in dependency.allKeys {
                var words = try dependency.nestedUnkeyedContainer(forKey: key)
                names.append(try words.decode(String.self))
            }
        }
        dependencies = names
    }
}

/// Any member's name.
private struct AnyKey: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
}
