internal import Configuration
internal import Glibc
internal import LineProtocols
internal import Platform

extension PCSCFacts {
    /// Runs `plings-pcsc --list` as the station's reader would run; blocks for 6 s at most.
    init(lookingAround surroundings: Surroundings, _ configuration: ConfigurationFacts) {
        let service = SystemUser(named: Surroundings.serviceUser)
        let isService = surroundings.isRoot && service != nil
        let runsAs = isService ? service : SystemUser(uid: surroundings.user)
        let matches = Self.matches(configuration.configuration)
        var places = surroundings
        places.programFolders += [configuration.configuration.readers.programs].compactMap { $0 }
        listing = Self.list(places, as: isService ? service : nil, matches)
        socket = surroundings.environment["PCSCLITE_CSOCK_NAME"] ?? Self.usualSocket
        hasSocket = FilePath.exists(socket)
        isInstalled = surroundings.has(Self.program)
        asksPolkit = surroundings.has(Self.policy)
        hasRule = surroundings.has(Self.rule)
        hasServiceUser = service != nil
        user = runsAs?.name ?? "uid \(surroundings.user)"
        isServiceUser = service.map { $0.uid == runsAs?.uid } ?? false
        self.configuration = configuration.file
        otherPrograms = isOneHeld ? Self.otherPrograms() : []
    }

    private var isOneHeld: Bool {
        readers?.contains { $0.reason == PCSCReason.held } ?? false
    }

    /// Which PC/SC readers the configuration asks for; nil for none.
    private static func matches(_ configuration: StationConfiguration) -> [String]? {
        let entries = configuration.readerEntries
        guard !entries.isEmpty else { return configuration.readers.automatic ? [] : nil }
        let matches = entries.compactMap { entry in
            if case .pcsc(let match) = entry.kind { match } else { nil }
        }
        return matches.isEmpty ? nil : matches
    }

    private static func list(
        _ surroundings: Surroundings, as someone: SystemUser?, _ matches: [String]?
    ) -> Listing {
        guard let matches else { return .unneeded }
        guard let program = surroundings.program("plings-pcsc") else {
            return .missing(folders: surroundings.programFolders)
        }
        let options = matches.flatMap { ["--match", $0] }
        // As the user of the station's reader: polkit goes by the user.
        let command = surroundings.command([program, "--list"] + options, as: someone)
        return read(
            BoundedCommand.run(
                command ?? [program, "--list"] + options, environment: surroundings.environment,
                within: LookLimit.readers),
            program)
    }

    private static func read(_ outcome: BoundedCommand.Outcome, _ program: String) -> Listing {
        switch outcome {
        case .notFound: return .failed(path: program, reason: "it can't be started")
        case .timedOut(let output):
            let devices = devices(in: output)
            return devices.isEmpty ? .silent : .devices(devices)
        case .ended(.exit(0), let output): return .devices(devices(in: output))
        case .ended(let ending, _): return .failed(path: program, reason: ending.description)
        }
    }

    private static func devices(in output: String) -> [ReaderMessage.Device] {
        output.split(separator: "\n").compactMap { line in
            let message = try? JSONLine.decode(ReaderMessage.self, from: Array(line.utf8))
            if case .device(let device)? = message { return device }
            return nil
        }
    }

    // MARK: Other programs

    /// The most that are named.
    private static let programLimit = 5
    /// More than the maps of the largest programs have, in bytes.
    private static let mapsLimit = 8 << 20

    /// The programs that have loaded the PC/SC library, as far as we may look: root sees all, others
    /// their own.
    ///
    /// Stops after 2 s, since a machine may have thousands of processes. pcscd does not say which of
    /// them has a reader. Source: proc_pid_maps(5).
    private static func otherPrograms() -> [OtherProgram] {
        let deadline = Handover<OtherProgram>.deadline(after: LookLimit.holders)
        var programs: [OtherProgram] = []
        // The newest first: whoever is in the way came after the system's own.
        for pid in (FolderLook.names("/proc") ?? []).compactMap({ Int32($0) }).sorted(by: >) {
            guard programs.count < programLimit, Clocks.monotonicNanoseconds() < deadline else {
                break
            }
            if let program = program(pid) { programs.append(program) }
        }
        return programs.reversed()
    }

    private static func program(_ pid: Int32) -> OtherProgram? {
        guard let name = FolderLook.text("/proc/\(pid)/comm"),
            name != "plings-pcsc", name != "pcscd",
            FolderLook.isIn("/proc/\(pid)/maps", "libpcsclite.so", limit: mapsLimit)
        else { return nil }
        return OtherProgram(name: name, pid: pid)
    }
}
