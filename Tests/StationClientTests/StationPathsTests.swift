import Platform
import Testing

@Suite("Where a station keeps its state and socket")
struct StationPathsTests {
    @Test(
        "by systemd's word, root's folders, or a person's",
        arguments: [
            ([:], 0, "/var/lib/plingsd", "/run/plingsd"),
            (["XDG_RUNTIME_DIR": "/r", "HOME": "/root"], 0, "/var/lib/plingsd", "/run/plingsd"),
            (
                ["STATE_DIRECTORY": "/s/one:/s/two", "RUNTIME_DIRECTORY": "/r/one:/r/two"], 990,
                "/s/one", "/r/one"
            ),
            (
                ["STATE_DIRECTORY": "", "RUNTIME_DIRECTORY": ""], 0, "/var/lib/plingsd",
                "/run/plingsd"
            ),
            (
                ["HOME": "/home/anna", "XDG_RUNTIME_DIR": "/run/user/1000"], 1000,
                "/home/anna/.local/state/plingsd", "/run/user/1000/plingsd"
            ),
            (
                ["HOME": "/home/anna", "XDG_STATE_HOME": "/state/"], 1000, "/state/plingsd",
                "/state/plingsd"
            ),
            (
                ["HOME": "/home/anna", "XDG_STATE_HOME": "rel", "XDG_RUNTIME_DIR": "rel"], 1000,
                "/home/anna/.local/state/plingsd", "/home/anna/.local/state/plingsd"
            ),
            (["STATE_DIRECTORY": "/s"], 1000, "/s", "/s"),
            ([:], 1000, "/var/lib/plingsd", "/var/lib/plingsd"),
        ] as [([String: String], UInt32, String, String)])
    func folders(environment: [String: String], uid: UInt32, state: String, runtime: String) {
        #expect(StationPaths.stateDirectory(environment: environment, uid: uid) == state)
        #expect(StationPaths.runtimeDirectory(environment: environment, uid: uid) == runtime)
        let socket = StationPaths.defaultSocket(environment: environment, uid: uid)
        #expect(socket == "\(runtime)/plingsd.sock")
    }

    @Test("a client looks for the system's station first and never in its own service's folders")
    func clients() {
        let environment = [
            "HOME": "/h", "XDG_RUNTIME_DIR": "/r", "STATE_DIRECTORY": "/s",
            "RUNTIME_DIRECTORY": "/k",
        ]
        #expect(
            StationPaths.clientSockets(environment: environment) == [
                "/run/plingsd/plingsd.sock", "/r/plingsd/plingsd.sock",
                "/h/.local/state/plingsd/plingsd.sock",
            ])
        #expect(StationPaths.clientSockets(environment: [:]) == ["/run/plingsd/plingsd.sock"])
    }
}
