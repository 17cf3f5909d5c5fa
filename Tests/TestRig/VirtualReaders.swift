import Glibc
import Platform
import Synchronization

/// A pcscd of the test's own with virtual readers, in a folder of its own.
///
/// pcscd is ended with the value that holds it.
package final class VirtualReaders: Sendable {
    /// What went wrong with the rig itself.
    package struct Failure: Error, CustomStringConvertible {
        package let description: String
    }

    private let place = TestFolder()
    private var folder: String { place.path }
    /// The ports of the readers that it was started with.
    package let ports: [Int]

    private static let script = Repository.path("sandbox/readers/virtual-readers")

    /// Starts pcscd with a reader of each model.
    ///
    /// - Parameters:
    ///   - models: See sandbox/readers/models.
    ///   - asksPolkit: Whether it asks polkit who may use it, where it was built for that.
    /// - Throws: `Failure` with what is wrong.
    package init(_ models: [String], asksPolkit: Bool = false) async throws {
        let template = try await Self.template.folder()
        ports = Self.freePorts(models.count)
        for part in ["drivers", "libpcscd-virtual.so"] {
            let copy = try VirtualProcess(["cp", "-a", "\(template)/\(part)", folder])
            _ = await copy.waitForEnd()
        }
        let polkit = ["VIRTUAL_READERS_POLKIT": asksPolkit ? "on" : "off"]
        try await Self.run("start", folder, ["0"], environment: polkit)
        for (port, model) in zip(ports, models) { try await plug(port, model) }
    }

    deinit {
        guard let stop = try? VirtualProcess([Self.script, "stop", folder]) else { return }
        // The one place that waits for a process without letting others run: the end.
        waitpid(stop.pid, nil, 0)
    }

    /// What leads a PC/SC client to this pcscd.
    package var environment: [String: String] {
        ["PCSCLITE_CSOCK_NAME": "\(folder)/run/pcscd.comm"]
    }

    package func plug(_ port: Int, _ model: String = "acr122u", serial: String? = nil) async throws
    {
        try await run("plug", ["\(port)", model] + (serial.map { [$0] } ?? []))
    }

    package func unplug(_ port: Int) async throws {
        try await run("unplug", ["\(port)"])
    }

    /// Kills pcscd; its socket stays behind.
    package func crash() async throws {
        try await run("crash")
    }

    /// Ends pcscd, and its socket with it.
    package func stop() async throws {
        try await run("stop")
    }

    /// Starts pcscd anew with the readers that are plugged in.
    package func restart() async throws {
        try await run("restart")
    }

    /// Some free ports of this machine.
    package static func freePorts(_ count: Int) -> [Int] {
        lastPort.withLock { last in
            var ports: [Int] = []
            while ports.count < count {
                last = last < 32_000 ? last + 1 : 20_000
                if isFree(last) { ports.append(last) }
            }
            return ports
        }
    }

    /// Below the kernel's own choices, and elsewhere for each process.
    private static let lastPort = Mutex(20_000 + Int(getpid()) % 10_000)

    private static func isFree(_ port: Int) -> Bool {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(listener) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(UInt16(port).bigEndian)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
    }

    private func run(_ command: String, _ arguments: [String] = []) async throws {
        try await Self.run(command, folder, arguments)
    }

    fileprivate static func run(
        _ command: String, _ folder: String, _ arguments: [String] = [],
        environment: [String: String] = [:]
    ) async throws {
        let process = try VirtualProcess(
            [script, command, folder] + arguments, environment: environment)
        let status = await process.waitForEnd(within: .seconds(60))
        guard status == 0 else {
            let complaint = process.errors.all.joined(separator: "\n")
            throw Failure(
                description: "virtual-readers \(command): \(status ?? -1): \(complaint)")
        }
    }

    private static let template = Template()

    /// The drivers, compiled where they are missing or older than their sources.
    private actor Template {
        private var building: Task<String, any Error>?

        func folder() async throws -> String {
            let task =
                building
                ?? Task {
                    let folder = Repository.program("virtual-readers")
                    // Starting compiles what is not up to date.
                    try await VirtualReaders.run("stop", folder)
                    try await VirtualReaders.run("start", folder, ["0"])
                    try await VirtualReaders.run("stop", folder)
                    return folder
                }
            building = task
            return try await task.value
        }
    }
}
