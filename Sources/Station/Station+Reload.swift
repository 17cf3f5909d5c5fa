package import Configuration
internal import Platform
internal import Scanning
internal import ServiceManager

/// Changing the settings of a station that runs.
extension Station {
    /// Takes a changed configuration, as far as that is possible without a restart.
    ///
    /// Readers that are not changed go on undisturbed; those that are, are started anew, and what
    /// lies on them is not told anew.
    ///
    /// - Parameter wanted: The whole configuration.
    /// - Returns: The settings that differ and stay as they were, as operators write them.
    package func change(to wanted: StationConfiguration) -> [String] {
        let before = configuration
        take(FixedSettings.kept(of: before, in: wanted))
        log.level = configuration.log.level.logLevel
        forwarder.change(Forwarder.Settings(configuration))
        let place = pipeline.location.event
        pipeline.change(
            ScanPipeline.Settings(configuration),
            location: StationLocation(configuration.location))
        if pipeline.location.event != place {
            recorder.record(.location(pipeline.location.event))
        }
        changeReaders()
        return FixedSettings.differing(before, wanted)
    }

    private func changeReaders() {
        var rest = supervisors
        var added: [ReaderSupervisor] = []
        supervisors = readerPlans().map { plan in
            if let index = rest.firstIndex(where: { $0.plan.identity == plan.identity }) {
                let kept = rest.remove(at: index)
                kept.change(to: plan)
                return kept
            }
            let supervisor = supervisor(for: plan)
            added.append(supervisor)
            return supervisor
        }
        retiring += rest
        for supervisor in rest {
            supervisor.stop(retirement: "it is not in the configuration any more") {
                [weak self] in self?.retiring.removeAll { $0 === supervisor }
            }
        }
        for supervisor in added { supervisor.start() }
    }
}

extension Forwarder.Settings {
    init(_ configuration: StationConfiguration) {
        self.init(
            patience: configuration.api.answerPatience, cacheLimit: configuration.cache.ttl,
            scansPerMinute: configuration.api.scansPerMinute,
            liveShare: configuration.api.liveShare)
    }
}

extension ScanPipeline.Settings {
    init(_ configuration: StationConfiguration) {
        self.init(
            hosts: configuration.scan.hosts,
            announcesPresent: configuration.scan.announcePresent,
            cacheLimit: configuration.cache.ttl, flapLimit: configuration.scan.flapLimit)
    }
}

extension LogLevel {
    /// The level as the log knows it.
    var logLevel: Log.Level {
        switch self {
        case .debug: .debug
        case .info: .info
        case .warning: .warning
        case .error: .error
        }
    }
}
