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

/// The settings that a station keeps from its start to its end.
enum FixedSettings {
    private typealias Differs = @Sendable (StationConfiguration, StationConfiguration) -> Bool

    /// Each by the name that operators write.
    private static let table: [(name: String, differs: Differs)] = [
        ("[station] id", { $0.station.id != $1.station.id }),
        ("[store] directory", { $0.store.directory != $1.store.directory }),
        ("[socket] path", { $0.socket.path != $1.socket.path }),
        ("[socket] mode", { $0.socket.mode != $1.socket.mode }),
        ("[socket] group", { $0.socket.group != $1.socket.group }),
        ("[socket] control_group", { $0.socket.controlGroup != $1.socket.controlGroup }),
        ("[api] endpoint", { $0.api.endpoint != $1.api.endpoint }),
        ("[api] token_file", { $0.api.tokenFile != $1.api.tokenFile }),
        ("[api] auth_url", { $0.api.authURL != $1.api.authURL }),
        ("[api] api_key_file", { $0.api.apiKeyFile != $1.api.apiKeyFile }),
        ("[api] ca_file", { $0.api.caFile != $1.api.caFile }),
        ("[api] timeout", { $0.api.timeout != $1.api.timeout }),
        ("[cache] max_objects", { $0.cache.maxObjects != $1.cache.maxObjects }),
    ]

    /// Those in which two configurations differ.
    static func differing(
        _ before: StationConfiguration, _ wanted: StationConfiguration
    ) -> [String] {
        let known = table.filter { $0.differs(before, wanted) }.map(\.name)
        // Whatever else the API is reached with.
        let isAPIKnown = known.contains { $0.hasPrefix("[api]") }
        let keepsAPI = kept(of: before, in: wanted).api == wanted.api
        return known + (keepsAPI || isAPIKnown ? [] : ["[api]"])
    }

    /// A configuration with the fixed settings of another.
    static func kept(
        of before: StationConfiguration, in wanted: StationConfiguration
    ) -> StationConfiguration {
        var kept = wanted
        kept.station.id = before.station.id
        kept.store.directory = before.store.directory
        kept.socket = before.socket
        kept.cache.maxObjects = before.cache.maxObjects
        kept.api = before.api
        kept.api.answerPatience = wanted.api.answerPatience
        kept.api.scansPerMinute = wanted.api.scansPerMinute
        kept.api.liveShare = wanted.api.liveShare
        return kept
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
