internal import Configuration
internal import Platform
internal import Scanning
internal import ServiceManager
internal import Storage

/// Opens the station's store and says what was found.
struct StoreOpening {
    private let directory: String
    private let maxCachedObjects: Int
    private let log: Log

    init(_ configuration: StationConfiguration, directory: String, log: Log) {
        self.directory = directory
        maxCachedObjects = configuration.cache.maxObjects
        self.log = log
    }

    /// Opens the store, or, on a disk that is full or read-only, one that is opened later.
    ///
    /// A kiosk whose disk takes nothing still has to say what a tag is.
    ///
    /// - Throws: `StartError` where waiting would not help.
    func open() throws(StartError) -> Store {
        let now = Timestamp(milliseconds: Clocks.realMilliseconds())
        do throws(StorageError) {
            let store = try Store(
                directory: directory, bootID: Clocks.bootID, now: now,
                maxCachedObjects: maxCachedObjects)
            if let opened = store.opened { Self.tell(opened, to: log) }
            return store
        } catch {
            var mayPass = error.isForWantOfSpace
            if case .busy = error { mayPass = true }
            guard mayPass else { throw StartError(error.description) }
            return Store(
                directory: directory, bootID: Clocks.bootID, now: now,
                maxCachedObjects: maxCachedObjects, unopened: error)
        }
    }

    /// Says in the log what became of a database that was not sound, or not there any more.
    static func tell(_ opened: Opened, to log: Log) {
        switch opened {
        case .created, .existing: break
        case .setAside(let found):
            log.error(
                "the store was damaged and is set aside; a new one begins",
                [
                    "kept": found.path, "cause": found.reason,
                    "deliveries": "\(found.rescued.deliveries)",
                    "attention": "\(found.rescued.attention)",
                    "presences": "\(found.rescued.presences)",
                    "unreadable": found.rescued.unreadableWords,
                ])
        case .displaced(let found):
            log.error(
                "the store's files were taken away; another store begins",
                [
                    "cause": found.reason, "deliveries": "\(found.rescued.deliveries)",
                    "attention": "\(found.rescued.attention)",
                    "presences": "\(found.rescued.presences)",
                    "unreadable": found.rescued.unreadableWords,
                ])
        }
    }
}

extension Rescued {
    fileprivate var unreadableWords: String { unreadable.map { "\($0)" } ?? "unknown" }
}
