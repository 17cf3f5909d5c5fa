internal import LineProtocols
internal import Platform
internal import Scanning
internal import ServiceManager
internal import Storage

/// Tags that come and go.
extension ScanPipeline {
    /// Takes over the tags that lay on the readers when the station last ran, those that are known
    /// already left out.
    ///
    /// - Parameters:
    ///   - open: The tags.
    ///   - lastLook: When the station last looked at them (CLOCK_BOOTTIME), where that is known.
    func restore(_ open: [OpenPresence], lastLook: UInt64? = nil) {
        let now = Clocks.bootNanoseconds()
        for presence in open where !presences.isOpen(scan: presence.scan) {
            readers[presence.device] = try? JSONLine.decode(
                ReaderReference.self, from: presence.reader)
            let isThisBoot = presence.moment.bootID == Clocks.bootID
            let arrivedAt = isThisBoot ? presence.moment.bootNanoseconds : 0
            presences.restore(
                device: presence.device, scan: presence.scan, uid: presence.uid,
                digest: presence.contents, arrivedAt: arrivedAt,
                lastSeen: max(arrivedAt, min(lastLook ?? 0, now)), now: now)
        }
        scheduleGiveUp()
    }

    func deviceReady(_ device: String) {
        presences.deviceReady(device, now: Clocks.bootNanoseconds())
        scheduleGiveUp()
    }

    /// Something lies on a device that is still to be told of.
    func deviceOccupied(_ device: String, process: Int) {
        presences.deviceOccupied(device, process: process)
        scheduleGiveUp()
    }

    func deviceGone(_ device: String) {
        let now = Clocks.bootNanoseconds()
        for presence in presences.deviceGone(device) {
            depart(presence, lastSeen: now, lost: false)
        }
        scheduleGiveUp()
    }

    func deviceInterrupted(_ device: String, process: Int) {
        presences.deviceInterrupted(device, process: process, now: Clocks.bootNanoseconds())
        scheduleGiveUp()
    }

    /// A reader process ended.
    ///
    /// - Parameters:
    ///   - process: The run of the reader program.
    ///   - devices: Those it looked at.
    ///   - lastSeen: Until when it looked (CLOCK_BOOTTIME); nil for now.
    func processEnded(_ process: Int, devices: Set<String> = [], lastSeen: UInt64? = nil) {
        let now = Clocks.bootNanoseconds()
        presences.processEnded(process, devices: devices, lastSeen: lastSeen ?? now, now: now)
        scheduleGiveUp()
    }

    func arrived(_ arrival: ReaderMessage.Arrival, on reader: ReaderReference, process: Int) {
        guard !presences.isOpen(process: process, token: arrival.token) else {
            return log.warning(
                "a reader named two tags alike; the second is left out", ["reader": reader.name])
        }
        readers[reader.id] = reader
        let digest = ContentDigest.of(arrival)
        let uid = Normaliser.lastingUID(of: arrival)
        let isKnown = presences.arrive(
            device: reader.id, process: process, token: arrival.token, uid: uid,
            digest: arrival.problem == .unreadable ? nil : digest)
        scheduleGiveUp()
        guard isKnown == .new else { return }
        let moment = recorder.moment(atBoot: arrival.bootNanoseconds)
        let isScan =
            isAnnounced(arrival, reader)
            && isNoFlap(FlapFilter.Tag(device: reader.id, uid: uid, digest: digest), reader, moment)
        let scan = isScan ? UUIDv7(at: moment.at).text : nil
        presences.begin(
            device: reader.id, process: process, token: arrival.token, scan: scan,
            uid: uid, digest: digest, arrivedAt: moment.bootNanoseconds)
        guard let scan else { return }
        let presence = OpenPresence(
            scan: scan, device: reader.id, reader: encoded(reader), medium: arrival.medium,
            uid: uid, contents: digest, moment: moment)
        publish(
            NewScan(
                scan: scan, reader: reader, medium: arrival.medium,
                reading: normaliser.read(arrival), moment: moment,
                origin: JobOrigin(reader: reader.name)),
            presence: .opened(presence))
    }

    /// Whether a tag is to be told of although it may have lain there before anybody looked.
    private func isAnnounced(
        _ arrival: ReaderMessage.Arrival, _ reader: ReaderReference
    ) -> Bool {
        settings.announcesPresent || arrival.present != true || presences.wasWatched(reader.id)
    }

    func departed(_ departure: ReaderMessage.Departure, process: Int) {
        guard let presence = presences.depart(process: process, token: departure.token) else {
            return
        }
        // A time to come is a reader's mistake.
        let lastSeen = min(departure.bootNanoseconds, Clocks.bootNanoseconds())
        flaps.departed(
            FlapFilter.Tag(device: presence.device, uid: presence.uid, digest: presence.digest),
            at: recorder.moment(atBoot: lastSeen).bootNanoseconds)
        depart(presence, lastSeen: lastSeen, lost: false)
    }

    private func depart(_ presence: Presences.Presence, lastSeen: UInt64?, lost: Bool) {
        guard let scan = presence.scan, let reader = readers[presence.device] else { return }
        let event = DepartureEvent(
            scan: scan, reader: reader,
            heldMilliseconds: presence.heldMilliseconds(until: lastSeen),
            lost: lost ? true : nil)
        let draft = recorder.draft(.departure(event), at: recorder.moment().at)
        journal.record(Change(events: [draft], presence: .closed(scan: scan)))
    }

    private func scheduleGiveUp() {
        if let giveUpTimer { LoopActor.loop.cancel(giveUpTimer) }
        giveUpTimer = nil
        guard let next = presences.nextGivenUp else { return }
        giveUpTimer = LoopActor.after(.fromNow(to: next)) { [weak self] in self?.giveUp() }
    }

    private func giveUp() {
        for presence in presences.giveUp(now: Clocks.bootNanoseconds()) {
            depart(presence, lastSeen: nil, lost: true)
        }
        scheduleGiveUp()
    }

    // MARK: Tags that flap

    /// Whether a tag that arrives is one to tell of; told once where it begins to be none.
    private func isNoFlap(
        _ tag: FlapFilter.Tag, _ reader: ReaderReference, _ moment: Moment
    ) -> Bool {
        let verdict = flaps.arrived(tag, at: moment.bootNanoseconds)
        guard verdict != .scan else { return true }
        suppressed += 1
        if verdict == .suppressedNow {
            log.warning("a tag comes and goes and is left out", ["reader": reader.name])
            tell(reader, count: 1, "a tag that comes and goes is left out until it is quiet")
        }
        scheduleQuiet()
        return false
    }

    private func scheduleQuiet() {
        guard quietTimer == nil, let next = flaps.nextQuiet else { return }
        quietTimer = LoopActor.after(.fromNow(to: next)) { [weak self] in self?.quiet() }
    }

    private func quiet() {
        quietTimer = nil
        for ended in flaps.quiet(at: Clocks.bootNanoseconds()) {
            guard let reader = readers[ended.device] else { continue }
            log.info(
                "a tag that came and went is quiet",
                ["reader": reader.name, "suppressed": "\(ended.count)"])
            tell(reader, count: ended.count, "the tag that came and went is quiet")
        }
        scheduleQuiet()
    }

    private func tell(_ reader: ReaderReference, count: Int, _ reason: String) {
        recorder.record(
            .reader(
                ReaderEvent(
                    reader: reader, state: deviceState(reader.id), reason: reason,
                    suppressed: count)))
    }
}

extension Duration {
    /// How long it is to a moment of CLOCK_BOOTTIME, in nanoseconds; zero where it has passed.
    fileprivate static func fromNow(to moment: UInt64) -> Duration {
        let now = Clocks.bootNanoseconds()
        return .nanoseconds(Int64(moment > now ? moment - now : 0))
    }
}
