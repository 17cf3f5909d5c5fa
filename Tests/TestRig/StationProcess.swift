package import Platform

/// The real daemon as a process, with a folder, a store and a socket of its own.
package final class StationProcess: Sendable {
    package let folder: TestFolder
    package let program: RunningProgram
    package let socket: String
    package let configuration: String

    /// Starts plingsd and waits until its socket is there.
    ///
    /// - Parameters:
    ///   - folder: Where the store and the socket are; a restart gives the same one again.
    ///   - extra: More configuration, after the store and the socket.
    ///   - environment: Variables that are added to ours.
    package init(
        in folder: TestFolder = TestFolder(),
        _ extra: String = "[readers]\nautomatic = false\n",
        environment: [String: String] = [:]
    ) {
        self.folder = folder
        socket = "\(folder.path)/s.sock"
        configuration = folder.write("config.toml", Self.text(folder, extra))
        program = RunningProgram(
            [Repository.program("plingsd"), "--config", configuration], environment: environment)
        let path = socket
        let program = program
        let isUp = Poll.until {
            (try? UnixSocket.connect(to: path)) != nil || program.wait(seconds: 0) != nil
        }
        if !isUp || program.wait(seconds: 0) != nil {
            fatalError("plingsd did not come up: \(program.errors)")
        }
    }

    deinit {
        program.kill()
    }

    private static func text(_ folder: TestFolder, _ extra: String) -> String {
        """
        [store]
        directory = "\(folder.path)/store"
        [socket]
        path = "\(folder.path)/s.sock"
        \(extra)
        """
    }

    /// Writes another configuration and asks the daemon to read it.
    package func reload(_ extra: String) {
        folder.write("config.toml", Self.text(folder, extra))
        program.signal(1)
    }

    /// Asks it to stop and waits for that.
    @discardableResult
    package func stop() -> ChildProcess.Ending? {
        program.signal(15)
        return program.wait()
    }
}
