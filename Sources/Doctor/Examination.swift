internal import Configuration
internal import LineProtocols
package import Platform
internal import PlingsAPI

/// Looks at everything that a station needs, and says what is wrong.
package struct Examination: Sendable {
    private let surroundings: Surroundings
    private let askStation: @Sendable (_ configuredSocket: String?) -> StationLook

    /// - Parameters:
    ///   - surroundings: What to look at, and as whom.
    ///   - station: Asks the station for its status; within 4 s, else it is given up. Takes the
    ///     socket that is configured, where one is.
    package init(
        of surroundings: Surroundings,
        askingStation station: @escaping @Sendable (_ configuredSocket: String?) -> StationLook
    ) {
        self.surroundings = surroundings
        askStation = station
    }

    /// What is looked at side by side, once the configuration is known.
    private struct Looks {
        let services: Look<Services>
        let station: Look<StationLook>
        let pcsc: Look<PCSCFacts>
        let usb: Look<USBFacts>
        let api: Look<Asked>
        let clock: Look<ClockFacts>
        let store: Look<StoreFacts>
    }

    /// What came of asking the API, with the token that went along.
    private struct Asked: Sendable {
        let token: TokenFacts
        let api: APIFacts
        /// CLOCK_MONOTONIC in nanoseconds.
        let answeredAt: UInt64
    }

    /// Looks; blocks for as long as `LookLimit` says, which is 13 s at most.
    ///
    /// - Returns: The findings, problems first, else in the order of the topics.
    /// - Throws: `SystemError` when the kernel has no descriptors left.
    package func findings() throws(SystemError) -> [Finding] {
        let surroundings = surroundings
        let first = try Look(within: LookLimit.configuration) {
            ConfigurationFacts(lookingAround: surroundings)
        }
        guard let configuration = first.facts() else { return [Self.timeout("the configuration")] }
        let started = Clocks.monotonicNanoseconds()
        let looks = try look(configuration)
        return Self.arranged(
            configuration.findings + gather(looks, configuration, since: started))
    }

    private func look(_ configuration: ConfigurationFacts) throws(SystemError) -> Looks {
        let surroundings = surroundings
        let askStation = askStation
        let grace = LookLimit.grace
        return Looks(
            services: try Look(within: LookLimit.services + grace) {
                Services(lookingAround: surroundings)
            },
            station: try Look(within: LookLimit.station + grace) {
                askStation(configuration.configuration.socket.path)
            },
            pcsc: try Look(within: LookLimit.readers + LookLimit.holders + grace) {
                PCSCFacts(lookingAround: surroundings, configuration)
            },
            usb: try Look(within: LookLimit.files) { USBFacts(lookingAround: surroundings) },
            api: try Look(within: LookLimit.api + grace) {
                Self.askAPI(surroundings, configuration)
            },
            clock: try Look(within: LookLimit.files) { ClockFacts(lookingAround: surroundings) },
            store: try Look(within: LookLimit.files + LookLimit.database + grace) {
                StoreFacts(lookingAround: surroundings, configuration)
            })
    }

    private static func askAPI(
        _ surroundings: Surroundings, _ configuration: ConfigurationFacts
    ) -> Asked {
        let store = StoreFacts.folder(surroundings, configuration) ?? Surroundings.serviceStore
        let settings = configuration.configuration.api
        var (facts, token) = TokenFacts.look(surroundings, file: settings.tokenFile, store: store)
        facts.canLogIn = settings.authURL != nil
        facts.configuration = configuration.file
        let api = APIFacts(surroundings, configuration, token: token, within: LookLimit.api)
        return Asked(token: facts, api: api, answeredAt: Clocks.monotonicNanoseconds())
    }

    // MARK: Putting it together

    private func gather(
        _ looks: Looks, _ configuration: ConfigurationFacts, since start: UInt64
    ) -> [Finding] {
        let services = looks.services.facts()
        let clock = looks.clock.facts()
        return station(looks, services, configuration) + readers(looks)
            + api(looks, clock, services ?? Services(show: ""), since: start)
            + (looks.store.facts()?.findings ?? [Self.timeout("the store")])
            + (services == nil ? [Self.timeout("the services")] : [])
    }

    private func station(
        _ looks: Looks, _ services: Services?, _ configuration: ConfigurationFacts
    ) -> [Finding] {
        guard let look = looks.station.facts() else { return [Self.timeout("plingsd")] }
        return StationFacts(
            look: look, services: services ?? Services(show: ""),
            program: surroundings.program("plingsd"), folders: surroundings.programFolders,
            configuration: configuration.file,
            configured: configuration.isKnown ? configuration.configuration : nil,
            isStoreIdle: looks.store.facts()?.isIdle == true,
            asker: SystemUser(uid: surroundings.user),
            sessionGroups: SystemUser.ownGroups()
        ).findings
    }

    private func readers(_ looks: Looks) -> [Finding] {
        let pcsc = looks.pcsc.facts()
        let usb = looks.usb.facts()
        let isUsed = pcsc.map { $0.listing != .unneeded } ?? true
        return (pcsc?.findings ?? [Self.timeout("the readers")])
            + (usb?.findings(listed: pcsc?.readers?.map(\.name), isPCSCUsed: isUsed)
                ?? [Self.timeout("USB")])
    }

    private func api(
        _ looks: Looks, _ clock: ClockFacts?, _ services: Services, since start: UInt64
    ) -> [Finding] {
        let asked = looks.api.facts()
        guard let clock else { return [Self.timeout("the clock")] }
        let age = asked.map { Int64(($0.answeredAt - min($0.answeredAt, start)) / 1_000_000_000) }
        let time = clock.finding(services: services, apiDate: asked?.api.date, age: age ?? 0)
        guard let asked else { return [Self.timeout("the API"), time] }
        // A token is asked for only where there is an API to show it to.
        let outcome = asked.api.outcome
        let isConfigured = outcome != .notConfigured && outcome != .unknown
        let tokens = isConfigured ? asked.token.findings(now: clock.now) : []
        return asked.api.findings(clock: clock) + tokens + [time]
    }

    private static func timeout(_ what: String) -> Finding {
        LookDiagnosis.timeout.finding(["what": what])
    }

    /// Problems first, then notes, then what is in order; each in the order given.
    ///
    /// What plingsd says of its token is left out where the token itself was found wanting.
    static func arranged(_ findings: [Finding]) -> [Finding] {
        let token = Set(TokenDiagnosis.allCases.map(\.rawValue))
        let isTold = findings.contains { $0.state == .problem && token.contains($0.check) }
        let told = findings.filter {
            !isTold || $0.check != StationDiagnosis.unauthorised.rawValue
        }
        return Finding.State.allCases.flatMap { state in told.filter { $0.state == state } }
    }
}
