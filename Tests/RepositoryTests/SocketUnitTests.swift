import Platform
import TestRig
import Testing

@Suite("the unit of the socket")
struct SocketUnitTests {
    private static let names = ["plingsd.socket", "plingsd.service"]

    private func values(_ unit: String) throws -> [String: String] {
        let text = try #require(Repository.text(of: "systemd/\(unit)"))
        var values: [String: String] = [:]
        for line in text.split(separator: "\n") where !line.hasPrefix("#") {
            let parts = line.split(separator: "=", maxSplits: 1).map(String.init)
            if parts.count == 2 { values[parts[0]] = parts[1] }
        }
        return values
    }

    @Test("systemd finds nothing wrong with it")
    func isSound() async throws {
        let folder = TestFolder()
        for name in Self.names {
            let unit = try #require(Repository.text(of: "systemd/\(name)"))
            folder.write(
                name, unit.replacing("/usr/bin/", with: "\(Repository.programs)/"))
        }
        let result = try await Command.run(
            [
                "systemd-analyze", "verify", "--man=no", "--recursive-errors=no",
                "\(folder.path)/plingsd.socket",
            ])
        #expect(result.status == 0 && result.output == "", "\(result.output)")
    }

    @Test("it is the socket that the station would make and its clients look for")
    func isTheSame() throws {
        let socket = try values("plingsd.socket")
        let service = try values("plingsd.service")
        let made = StationPaths.defaultSocket(
            environment: ["RUNTIME_DIRECTORY": "/run/\(service["RuntimeDirectory"] ?? "")"], uid: 1)
        #expect(socket["ListenStream"] == made)
        #expect(StationPaths.clientSockets(environment: [:]).first == made)
        #expect(socket["SocketUser"] == service["User"])
        #expect(socket["SocketGroup"] == service["Group"])
        #expect(socket["SocketMode"] == "0660")
        #expect(socket["DirectoryMode"] == service["RuntimeDirectoryMode"])
        #expect(socket["Accept"] == "no", "the station takes the listening socket")
    }
}
