internal import Configuration
internal import Glibc
internal import Platform
internal import ServiceManager

/// The running daemon's dealings with the system around it: signals, systemd, its configuration.
@LoopActor
final class Service {
    private let station: Station
    /// The configuration's file; nil for the usual one.
    private let file: String?
    /// What systemd shows of a service that is well.
    private let status: String
    private let log: Log
    private var isStopping = false
    private var isReloading = false
    /// Another SIGHUP came while the file was read.
    private var isReloadDue = false

    init(station: Station, file: String?, status: String, log: Log) {
        self.station = station
        self.file = file
        self.status = status
        self.log = log
    }

    /// Ends the process when it is asked to, and reads the configuration when it is asked to.
    func watchSignals() throws(SystemError) {
        let signals = SignalBox(try Signals.open([SIGTERM, SIGINT, SIGHUP]))
        _ = try LoopActor.watch(signals.descriptor.number, for: .readable) { [self] _ in
            while let signal = Signals.next(from: signals.descriptor) { take(signal) }
        }
    }

    private func take(_ signal: Int32) {
        guard signal != SIGHUP else { return reload() }
        // Whoever asks twice does not want to wait for readers and the store.
        guard !isStopping else { _exit(1) }
        isStopping = true
        log.info("the station stops", ["signal": signal == SIGTERM ? "SIGTERM" : "SIGINT"])
        Task {
            await station.stop()
            log.info("the station has stopped")
            // Without exit handlers: libraries' threads may still run, and nothing is left to do.
            _exit(0)
        }
    }

    // MARK: Reloading

    private func reload() {
        guard !isStopping else { return }
        guard !isReloading else {
            isReloadDue = true
            return
        }
        isReloading = true
        log.info("SIGHUP: the configuration and the token file are read again")
        Notifications.reloading(monotonicNanoseconds: Clocks.monotonicNanoseconds())
        station.readToken()
        // Not on the loop: a file system may take its time.
        Threads.start(name: "configuration") { [self, file, log] in
            do throws(ConfigurationError) {
                let configuration = try Daemon.load(file)
                Daemon.advise(configuration, log)
                Task { @LoopActor in take(configuration) }
            } catch {
                Task { @LoopActor in refuse(error) }
            }
        }
    }

    private func take(_ configuration: StationConfiguration) {
        guard !isStopping else { return }
        for setting in station.change(to: configuration) {
            log.warning("a changed setting takes a restart", ["setting": setting])
        }
        log.info("the configuration was read again")
        reloaded(status)
    }

    private func refuse(_ error: ConfigurationError) {
        guard !isStopping else { return }
        for problem in error.problems {
            log.error(
                "the configuration is not taken, the old one stays",
                ["cause": problem.description])
        }
        let first = error.problems.first?.description ?? ""
        reloaded("the configuration was not taken: \(first)")
    }

    private func reloaded(_ status: String) {
        Notifications.ready(status: status)
        isReloading = false
        guard isReloadDue else { return }
        isReloadDue = false
        reload()
    }

    // MARK: The watchdog

    /// Tells systemd that the loop turns, twice as often as it asks for.
    func feedWatchdog() {
        guard let interval = Notifications.watchdogInterval else { return }
        LoopActor.after(interval / 2) { [self] in
            Notifications.alive()
            feedWatchdog()
        }
    }
}

private final class SignalBox: Sendable {
    let descriptor: Descriptor

    init(_ descriptor: consuming Descriptor) {
        self.descriptor = descriptor
    }
}
