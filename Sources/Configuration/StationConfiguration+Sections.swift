extension StationConfiguration {
    /// Reads every section.
    ///
    /// - Parameter document: The document; what is wrong with it is noted there.
    init(_ document: inout DocumentReader) {
        station = document.read(ConfigurationKeys.Station.section) { Station(&$0) }
        store = document.read(ConfigurationKeys.Store.section) { Store(&$0) }
        socket = document.read(ConfigurationKeys.Socket.section) { Socket(&$0) }
        api = document.read(ConfigurationKeys.API.section) { API(&$0) }
        location = document.read(ConfigurationKeys.Location.section) { Location(&$0) }
        scan = document.read(ConfigurationKeys.Scan.section) { Scan(&$0) }
        cache = document.read(ConfigurationKeys.Cache.section) { Cache(&$0) }
        readers = document.read(ConfigurationKeys.Readers.section) { Readers(&$0) }
        var names = ReaderNames()
        readerEntries = document.readList(ConfigurationKeys.Reader.section) { section in
            ReaderEntry(&section, &names)
        }
        log = document.read(ConfigurationKeys.Log.section) {
            Log(level: $0.value(ConfigurationKeys.Log.level))
        }
    }
}

extension StationConfiguration.Station {
    fileprivate init(_ section: inout SectionReader) {
        id = section.value(ConfigurationKeys.Station.id)
        name = section.value(ConfigurationKeys.Station.name)
    }
}

extension StationConfiguration.Store {
    fileprivate init(_ section: inout SectionReader) {
        typealias Keys = ConfigurationKeys.Store
        directory = section.value(Keys.directory)
        retainEvents = section.value(Keys.retainEvents)
        retainCount = section.value(Keys.retainCount)
        maxJobs = section.value(Keys.maxJobs)
    }
}

extension StationConfiguration.Socket {
    fileprivate init(_ section: inout SectionReader) {
        typealias Keys = ConfigurationKeys.Socket
        path = section.value(Keys.path)
        mode = section.value(Keys.mode)
        group = Group(&section, Keys.group)
        controlGroup = Group(&section, Keys.controlGroup)
    }
}

extension StationConfiguration.Socket.Group {
    fileprivate init(_ section: inout SectionReader, _ key: ConfigurationKey<String>) {
        name = section.value(key)
        let place = section.place(of: key)
        isConfigured = place != nil
        if let place, !section.report.hasGroup(name) {
            section.refuse(
                "\"\(key.name)\" must be a group of this machine, not \(DisplayText.key(name))",
                at: place)
        }
    }
}

extension StationConfiguration.API {
    fileprivate init(_ section: inout SectionReader) {
        typealias Keys = ConfigurationKeys.API
        endpoint = section.value(Keys.endpoint)
        tokenFile = section.value(Keys.tokenFile)
        authURL = section.value(Keys.authURL)
        apiKeyFile = section.value(Keys.apiKeyFile)
        caFile = section.value(Keys.caFile)
        timeout = section.value(Keys.timeout)
        answerPatience = section.value(Keys.answerPatience)
        scansPerMinute = section.value(Keys.scansPerMinute)
        liveShare = section.value(Keys.liveShare)
        Self.refuseTwoCredentials(&section)
    }

    /// One of the two would never be used, and nobody could say which.
    private static func refuseTwoCredentials(_ section: inout SectionReader) {
        typealias Keys = ConfigurationKeys.API
        if let token = section.place(of: Keys.tokenFile),
            let server = section.place(of: Keys.authURL)
        {
            section.refuse(
                "\"auth_url\" and \"token_file\" exclude each other: the station logs in by itself "
                    + "or reads a token from a file", at: max(token, server))
        } else if let key = section.place(of: Keys.apiKeyFile),
            section.place(of: Keys.authURL) == nil
        {
            section.refuse(
                "\"api_key_file\" is for the auth server: it needs \"auth_url\"", at: key)
        }
    }
}

extension StationConfiguration.Location {
    fileprivate init(_ section: inout SectionReader) {
        typealias Keys = ConfigurationKeys.Location
        let written = section.value(Keys.source)
        let latitude = section.value(Keys.latitude)
        let longitude = section.value(Keys.longitude)
        let accuracy = section.value(Keys.accuracy)
        consent = section.value(Keys.consent)
        source = .none
        switch written {
        case .none:
            Self.refuseCoordinatesWithoutSource(&section)
        case .fixed:
            Self.refuseSourceWithoutCoordinates(&section)
            if let latitude, let longitude {
                source = .fixed(
                    Position(latitude: latitude, longitude: longitude, accuracy: accuracy))
            }
        }
    }

    /// Coordinates beside a written `source = "none"` are a location switched off; beside no source
    /// at all they are one that its author believes to be in use.
    private static func refuseCoordinatesWithoutSource(_ section: inout SectionReader) {
        typealias Keys = ConfigurationKeys.Location
        let places = [Keys.latitude, Keys.longitude, Keys.accuracy].compactMap(section.place(of:))
        guard section.place(of: Keys.source) == nil, let first = places.min() else { return }
        section.refuse(
            "the location is not used without source = \"fixed\" in \(section.section.header)",
            at: first)
    }

    private static func refuseSourceWithoutCoordinates(_ section: inout SectionReader) {
        typealias Keys = ConfigurationKeys.Location
        guard let place = section.place(of: Keys.source) else { return }
        for key in [Keys.latitude, Keys.longitude] where section.place(of: key) == nil {
            section.refuse("source = \"fixed\" needs \"\(key.name)\"", at: place)
        }
    }
}

extension StationConfiguration.Scan {
    fileprivate init(_ section: inout SectionReader) {
        typealias Keys = ConfigurationKeys.Scan
        hosts = section.value(Keys.hosts)
        announcePresent = section.value(Keys.announcePresent)
        departureGrace = section.value(Keys.departureGrace)
        flapLimit = section.value(Keys.flapLimit)
    }
}

extension StationConfiguration.Cache {
    fileprivate init(_ section: inout SectionReader) {
        ttl = section.value(ConfigurationKeys.Cache.ttl)
        maxObjects = section.value(ConfigurationKeys.Cache.maxObjects)
    }
}

extension StationConfiguration.Readers {
    fileprivate init(_ section: inout SectionReader) {
        automatic = section.value(ConfigurationKeys.Readers.automatic)
        programs = section.value(ConfigurationKeys.Readers.programs)
    }
}
