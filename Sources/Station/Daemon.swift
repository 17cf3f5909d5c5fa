internal import Scanning
internal import Configuration
internal import Glibc
internal import Platform
internal import ServiceManager
internal import Storage

/// The program `plingsd`: its arguments, its signals and its exit status.
package enum Daemon {
    private static let usage = """
        usage: plingsd [--config FILE] [--check-config FILE] [--check-store DIRECTORY]
                       [--version] [--help]

        Runs the Plings station: reads tags, publishes events on a Unix socket and delivers scans.

          --config FILE        the configuration; default /etc/plingsd/config.toml if it is there,
                               else every key has its default: all PC/SC readers, no API
          --check-config FILE  says what is wrong with a configuration, and ends
          --check-store DIRECTORY
                               says whether the database in a store's folder is sound, and ends;
                               one that a station has open is left alone
          --version            prints the version
          --help               prints this

        Exit status: 0 stopped, 2 bad configuration or usage, 1 anything else.
        SIGTERM and SIGINT stop it, a second one at once. SIGHUP reads the configuration
        and the token file again.

        """

    private static let defaultFile = "/etc/plingsd/config.toml"

    /// Runs the program; returns only by ending the process.
    package static func run(_ arguments: [String]) -> Never {
        // First of all: threads that are started before would die of the signals.
        Signals.block([SIGTERM, SIGINT, SIGHUP])
        Memory.limitArenas()
        Memory.forbidCoreDumps()
        switch parse(arguments) {
        case .say(let text): end(text, to: 1, status: 0)
        case .refuse(let text): end("plingsd: \(text)\n\n\(usage)", to: 2, status: 2)
        case .check(let file): check(file)
        case .checkStore(let directory): checkStore(directory)
        case .serve(let file): serve(file)
        }
    }

    enum Command: Equatable {
        case serve(file: String?)
        case check(file: String)
        case checkStore(directory: String)
        case say(String)
        case refuse(String)
    }

    static func parse(_ arguments: [String]) -> Command {
        var rest = arguments.dropFirst()
        guard let option = rest.popFirst() else { return .serve(file: nil) }
        switch option {
        case "--help", "-h": return .say(usage)
        case "--version": return .say("plingsd \(ProductVersion.current)\n")
        case "--config", "--check-config", "--check-store":
            let noun = option == "--check-store" ? "directory" : "file"
            guard let file = rest.popFirst() else { return .refuse("\(option) needs a \(noun)") }
            guard rest.isEmpty else {
                return .refuse("unexpected argument: \(rest[rest.startIndex])")
            }
            return switch option {
            case "--config": .serve(file: file)
            case "--check-config": .check(file: file)
            default: .checkStore(directory: file)
            }
        default: return .refuse("unknown argument: \(option)")
        }
    }

    private static func say(_ text: String, to stream: Int32) {
        _ = Array(text.utf8).withUnsafeBytes { Glibc.write(stream, $0.baseAddress, $0.count) }
    }

    private static func end(_ text: String, to stream: Int32, status: Int32) -> Never {
        say(text, to: stream)
        _exit(status)
    }

    private static func check(_ file: String) -> Never {
        do {
            let configuration = try load(file)
            let advice = ConfigurationAdvice.sentences(configuration)
            say(advice.map { "\(file): warning: \($0)\n" }.joined(), to: 2)
            end("\(file): the configuration is good\n", to: 1, status: 0)
        } catch {
            end("\(error)\n", to: 2, status: 2)
        }
    }

    private static func checkStore(_ directory: String) -> Never {
        let verdict = StoreCheck.look(at: directory)
        let isGood =
            switch verdict {
            case .sound, .absent, .inUse: true
            case .damaged, .unreadable: false
            }
        end("\(directory): \(verdict)\n", to: 1, status: isGood ? 0 : 1)
    }

    /// Reads the configuration; blocks for as long as its file system does.
    ///
    /// - Parameter file: The file; nil for the usual one, which may be missing.
    /// - Returns: The configuration.
    /// - Throws: Everything that is wrong with it.
    static func load(_ file: String?) throws(ConfigurationError) -> StationConfiguration {
        let hasGroup = { SystemUsers.groupID($0) != nil }
        guard let file else {
            return try StationConfiguration.loadIfPresent(path: defaultFile, hasGroup: hasGroup)
                ?? .defaults
        }
        return try StationConfiguration.load(path: file, hasGroup: hasGroup)
    }

    /// Logs what the configuration asks for and can't have.
    static func advise(_ configuration: StationConfiguration, _ log: Log) {
        for sentence in ConfigurationAdvice.sentences(configuration) {
            log.warning("the configuration is not whole", ["cause": sentence])
        }
    }

    private static func serve(_ file: String?) -> Never {
        let configuration: StationConfiguration
        do {
            configuration = try load(file)
        } catch {
            end("\(error)\n", to: 2, status: 2)
        }
        let log = Log(level: configuration.log.level.logLevel)
        advise(configuration, log)
        let handed: HandedSocket?
        do {
            handed = try HandedSocket.take()
        } catch {
            end("plingsd: \(error)\n", to: 2, status: 1)
        }
        Task { @LoopActor in
            await begin(configuration, from: file, handed, log)
        }
        // The work is on the loop's thread; this one has nothing to do.
        while true { pause() }
    }

    @LoopActor
    private static func begin(
        _ configuration: StationConfiguration, from file: String?, _ handed: HandedSocket?,
        _ log: Log
    ) async {
        do {
            let paths = try paths(configuration, handed)
            let station = try await Station(
                configuration: configuration, paths: paths, handed: handed, log: log)
            try await station.start()
            let status = "listening on \(paths.socket)"
            let service = Service(station: station, file: file, status: status, log: log)
            try service.watchSignals()
            service.feedWatchdog()
            log.info("the station is ready", ["socket": paths.socket, "store": paths.store])
            Notifications.ready(status: status)
        } catch {
            end("plingsd: \(error)\n", to: 2, status: 1)
        }
    }

    private static func paths(
        _ configuration: StationConfiguration, _ handed: HandedSocket?
    ) throws(StartError) -> StartPaths {
        let environment = ProcessEnvironment.current
        let uid = SystemUsers.effectiveUser
        let store =
            configuration.store.directory
            ?? StationPaths.stateDirectory(environment: environment, uid: uid)
        if let handed { return StartPaths(store: store, socket: handed.path) }
        let socket =
            configuration.socket.path
            ?? StationPaths.defaultSocket(environment: environment, uid: uid)
        do {
            try FilePath.makeFolder(FilePath.folder(of: socket), mode: 0o755)
        } catch {
            throw StartError(error.description)
        }
        return StartPaths(store: store, socket: socket)
    }
}
