/// What is said about the store: its folder, its disk and its database.
package enum StoreDiagnosis: String, Diagnosis {
    case good = "store-good"
    case none = "store-none"
    case unknown = "store-unknown"
    case closed = "store-closed"
    case notFolder = "store-not-a-folder"
    case owner = "store-owner"
    case mode = "store-mode"
    case readOnly = "store-read-only"
    case full = "store-full"
    case unreadable = "store-unreadable"
    case damaged = "store-damaged"
    case suspected = "store-suspected"
    case setAside = "store-set-aside"

    package var form: FindingForm {
        switch self {
        case .good: .ok("the store {folder} is in order, with {free} free; {looked}")
        case .none:
            .note(
                "the store {folder} is not there yet: the station makes it when it starts",
                "sudo systemctl start plingsd")
        case .unknown:
            .note(
                "where the store is could not be read: see what is said of the configuration")
        case .closed:
            .note(
                "the store {folder} may not be looked into by you: run as root to look at it",
                "sudo plingsctl doctor")
        case .notFolder:
            .problem("{folder}, where the store should be, is no folder", "ls -l {word}")
        case .owner:
            .problem(
                "{path} belongs to {owner} and not to plingsd, which can't use the store then",
                "sudo chown -R plingsd:plings {word}")
        case .mode:
            .problem(
                "the store {folder} can't be written by its owner (mode {mode})",
                "sudo chmod 0700 {word}")
        case .readOnly, .full, .unreadable: diskForm
        case .damaged, .suspected, .setAside: databaseForm
        }
    }

    private var diskForm: FindingForm {
        switch self {
        case .readOnly:
            .problem(
                "the disk of the store {folder} is read-only: scans are kept in memory only and "
                    + "are lost at a power cut", "sudo dmesg --level err,crit | tail")
        case .full:
            .problem(
                "only {free} are free on the disk of the store {folder}: below 64 MiB no orders "
                    + "are taken, and without any room no scan is kept", "df -h {word}")
        default:
            .problem(
                "the store {folder} can't be looked at: {reason}", "ls -ld {word}")
        }
    }

    private var databaseForm: FindingForm {
        switch self {
        case .damaged:
            .problem(
                "the database {path} is damaged ({reason}): the station sets it aside when it "
                    + "starts, and begins a new one", "sudo systemctl restart plingsd")
        case .suspected:
            .problem(
                "the database in {folder} has shown damage at work: the station looks through it "
                    + "when it starts", "sudo systemctl restart plingsd")
        default:
            .note(
                "{count} set aside in {folder}, {size} in all: what waited for delivery was "
                    + "carried over as far as it could be read; plingsd's log says how much",
                "ls -l {word}")
        }
    }
}
