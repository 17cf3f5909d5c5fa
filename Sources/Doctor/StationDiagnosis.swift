/// What is said about plingsd: whether it runs, answers, and what it says of itself.
package enum StationDiagnosis: String, Diagnosis {
    case answers = "station-answers"
    case otherVersion = "station-other-version"
    case notRunning = "station-not-running"
    case notStarted = "station-not-started"
    case failed = "station-failed"
    case badConfiguration = "station-bad-configuration"
    case restarting = "station-restarting"
    case socketElsewhere = "station-socket-elsewhere"
    case notInstalled = "station-not-installed"
    case notMember = "station-not-member"
    case oldSession = "station-old-session"
    case ownerOnly = "station-owner-only"
    case folderClosed = "station-folder-closed"
    case silent = "station-silent"
    case unusable = "station-unusable"
    case attention = "station-attention"
    case unauthorised = "station-unauthorised"
    case readerTrouble = "station-reader"
    case otherConfiguration = "station-other-configuration"

    package var form: FindingForm {
        switch self {
        case .answers: .ok("plingsd {version} answers at {socket}")
        case .otherVersion:
            .note(
                "plingsd is version {version} and this plingsctl {own}: one of them was not "
                    + "restarted after an update", "sudo systemctl restart plingsd")
        case .notRunning, .notStarted, .failed, .badConfiguration, .restarting, .socketElsewhere,
            .notInstalled:
            notRunningForm
        case .notMember, .oldSession, .ownerOnly, .folderClosed: deniedForm
        case .silent:
            .problem(
                "what listens at {socket} does not answer: plingsd hangs",
                "sudo systemctl restart plingsd")
        case .unusable:
            .problem("plingsd can't be asked: {reason}", "sudo systemctl status plingsd")
        case .attention:
            .problem(
                "{deliveries} attention: refused by the API, or failed again and again",
                "plingsctl outbox list --state attention")
        case .unauthorised:
            .problem(
                "plingsd has no token that the API takes ({reason}), so nothing is delivered",
                "plingsctl login")
        case .otherConfiguration:
            .note(
                "plingsd at {socket} uses another configuration than {file}: {what} is another; "
                    + "look at the one that it uses with --config")
        case .readerTrouble:
            .problem("the reader {reader} is {state}: {reason}", "journalctl -u plingsd -e")
        }
    }

    private var notRunningForm: FindingForm {
        switch self {
        case .notStarted:
            .problem(
                "plingsd is not running: the service plingsd.service was not started",
                "sudo systemctl enable --now plingsd")
        case .failed:
            .problem(
                "plingsd is not running: plingsd.service has failed ({ending}){words}",
                "journalctl -u plingsd -e")
        case .badConfiguration:
            .problem(
                "plingsd is not running: its configuration or a group in it is wrong "
                    + "(exit status 2){words}", "sudo plingsd --check-config {file}")
        case .restarting:
            .problem(
                "plingsd can't be started and is tried again and again ({ending}){words}",
                "journalctl -u plingsd -e")
        case .socketElsewhere:
            .problem(
                "plingsd.service is running, but its socket {socket} is not there: it listens "
                    + "elsewhere or is only starting", "sudo systemctl status plingsd")
        case .notInstalled:
            .problem(
                "the program plingsd is not installed: it is not in {folders}",
                "sudo ./scripts/install")
        default:
            .problem(
                "plingsd is not running: nobody listens at {socket}",
                "sudo systemctl start plingsd")
        }
    }

    private var deniedForm: FindingForm {
        switch self {
        case .notMember:
            .problem(
                "{user} may not connect to {socket}: it is for members of the group {group}, which "
                    + "{user} is not; after the command, log in again",
                "sudo adduser {user} {group}")
        case .oldSession:
            .problem(
                "{user} became a member of the group {group} after logging in, so {socket} is "
                    + "still closed: log out and in again", "newgrp {group}")
        case .ownerOnly:
            .note(
                "only {who} may connect to {socket}: run as root to look at it",
                "sudo plingsctl doctor")
        default:
            .note(
                "the folder of {socket} is closed to {user}: run as root to look at it",
                "sudo plingsctl doctor")
        }
    }
}
