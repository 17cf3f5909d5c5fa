/// What is said about pcscd and the readers that it lists.
package enum PCSCDiagnosis: String, Diagnosis {
    case unused = "reader-unused"
    case notInstalled = "pcscd-not-installed"
    case notRunning = "pcscd-not-running"
    case nobody = "pcscd-nobody"
    case ruleMissing = "pcscd-rule-missing"
    case refuses = "pcscd-refuses"
    case refusesYou = "pcscd-refuses-you"
    case refusesTags = "pcscd-refuses-tags"
    case hangs = "pcscd-hangs"
    case unusable = "pcscd-unusable"
    case programMissing = "reader-program-missing"
    case programFails = "reader-program-fails"
    case ready = "reader-ready"
    case held = "reader-held"
    case heldBy = "reader-held-by"
    case degraded = "reader-degraded"
    case noMatch = "reader-no-match"
    case none = "reader-none"

    package var form: FindingForm {
        switch self {
        case .ready: .ok("the reader {reader} is ready")
        case .unused: .note("the configuration uses no PC/SC reader, so none was looked at")
        case .notInstalled, .notRunning, .nobody, .hangs, .unusable: serviceForm
        case .ruleMissing, .refuses, .refusesYou, .refusesTags: refusalForm
        case .programMissing, .programFails: programForm
        case .held, .heldBy, .degraded, .noMatch, .none: readerForm
        }
    }

    private var serviceForm: FindingForm {
        switch self {
        case .notInstalled:
            .problem(
                "pcscd, the service that drives USB readers, is not installed: {path} is missing",
                "sudo apt install pcscd libccid")
        case .notRunning:
            .problem(
                "pcscd is not running: its socket {socket} is not there",
                "sudo systemctl enable --now pcscd.socket")
        case .nobody:
            .problem(
                "pcscd is not running: nobody listens at its socket {socket}",
                "sudo systemctl restart pcscd.socket")
        case .hangs:
            .problem(
                "pcscd takes connections at {socket} and does not answer",
                "sudo systemctl restart pcscd")
        default: .problem("pcscd can't be used: {reason}", "sudo systemctl restart pcscd")
        }
    }

    private var refusalForm: FindingForm {
        switch self {
        case .ruleMissing:
            .problem(
                "polkit's rule {path} is missing, without which pcscd refuses the user plingsd",
                "sudo ./scripts/install")
        case .refuses:
            .problem(
                "polkit does not let the user {user} use pcscd",
                "sudo systemctl restart polkit pcscd")
        case .refusesYou:
            .note(
                "pcscd refuses the user {user}; whether it serves the station only root can find "
                    + "out", "sudo plingsctl doctor")
        default:
            .problem(
                "pcscd does not let the user {user} use the tags on the reader {reader}: polkit "
                    + "refuses org.debian.pcsc-lite.access_card",
                "sudo systemctl restart polkit pcscd")
        }
    }

    private var programForm: FindingForm {
        switch self {
        case .programMissing:
            .problem(
                "the reader program plings-pcsc is not installed: it is not in {folders}",
                "sudo ./scripts/install")
        default:
            .problem(
                "the reader program {path} could not be run: {reason}", "sudo ./scripts/install")
        }
    }

    private var readerForm: FindingForm {
        switch self {
        case .held:
            .problem(
                "another program has the reader {reader} to itself; pcscd does not say which",
                "sudo grep -l libpcsclite /proc/[0-9]*/maps")
        case .heldBy:
            .problem(
                "another program has the reader {reader} to itself; these use pcscd now: "
                    + "{programs}", "sudo kill {pids}")
        case .degraded:
            .problem("the reader {reader} does not work: {reason}", "sudo systemctl restart pcscd")
        case .noMatch:
            .problem(
                "no reader that is connected fits a `match` in the configuration {file}",
                "plings-pcsc --list")
        default: .problem("no reader is connected", "lsusb")
        }
    }
}
