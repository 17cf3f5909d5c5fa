/// What is said about the connection to the API.
package enum APIDiagnosis: String, Diagnosis {
    case answers = "api-answers"
    case reachable = "api-reachable"
    case notConfigured = "api-not-configured"
    case unknown = "api-unknown"
    case wrongSetting = "api-wrong-setting"
    case name = "api-name"
    case nameTimeout = "api-name-timeout"
    case refuses = "api-refuses"
    case noNetwork = "api-no-network"
    case connectTimeout = "api-connect-timeout"
    case answerTimeout = "api-answer-timeout"
    case proxy = "api-proxy"
    case proxyStatus = "api-proxy-status"
    case expired = "api-certificate-expired"
    case notYetValid = "api-certificate-not-yet-valid"
    case clock = "api-certificate-clock"
    case wrongHost = "api-certificate-host"
    case authority = "api-certificate-authority"
    case tls = "api-tls"
    case portal = "api-portal"
    case redirected = "api-redirected"
    case nothingThere = "api-nothing-there"
    case trouble = "api-trouble"
    case strange = "api-strange"

    package var form: FindingForm {
        switch self {
        case .answers: .ok("the API at {host} answers and takes the token")
        case .reachable: .ok("the API at {host} can be reached; the token was not tried")
        case .notConfigured:
            .note(
                "no API is configured (`endpoint` under [api]): scans stay on this machine",
                "sudoedit {file}")
        case .unknown:
            .note(
                "which API is configured could not be read, so it was not asked: see what is said "
                    + "of the configuration")
        case .wrongSetting: .problem("the API can't be asked: {reason}", "sudoedit {file}")
        case .name, .nameTimeout, .refuses, .noNetwork, .connectTimeout, .answerTimeout:
            networkForm
        case .proxy, .proxyStatus: proxyForm
        case .expired, .notYetValid, .clock, .wrongHost, .authority, .tls: certificateForm
        case .portal, .redirected, .nothingThere, .trouble, .strange: answerForm
        }
    }

    private var networkForm: FindingForm {
        switch self {
        case .name:
            .problem(
                "the name of the API's host {host} can't be resolved: there is no network, or "
                    + "`endpoint` has a slip of the pen in it", "getent hosts {host}")
        case .nameTimeout:
            .problem(
                "the name of the API's host {host} was not resolved in time: the name server does "
                    + "not answer", "cat /etc/resolv.conf")
        case .refuses:
            .problem(
                "{host} refuses connections: the API is down there, or `endpoint` has another "
                    + "port than it", "curl -sS -o /dev/null {url}")
        case .noNetwork:
            .problem("{host} can't be reached ({reason}): no network leads there", "ip route")
        case .connectTimeout:
            .problem(
                "{host} does not take connections: it is off, or a firewall is between",
                "curl -sS -m 10 -o /dev/null {url}")
        default:
            .problem(
                "{host} took the question and did not answer within {seconds} s",
                "curl -sS -m 20 -o /dev/null {url}")
        }
    }

    private var proxyForm: FindingForm {
        switch self {
        case .proxy:
            .problem(
                "the proxy that the environment names (https_proxy) can't be reached",
                "systemctl show plingsd --property=Environment")
        default:
            .problem(
                "the proxy that the environment names (https_proxy) refuses to connect to {host} "
                    + "(HTTP {status})", "systemctl show plingsd --property=Environment")
        }
    }

    private var certificateForm: FindingForm {
        switch self {
        case .expired:
            .problem(
                "the certificate of {host} has expired: whoever runs {host} must renew it",
                "curl -sSv -o /dev/null {url}")
        case .notYetValid:
            .problem(
                "the certificate of {host} is not valid yet, although this machine's clock is "
                    + "right: whoever runs {host} must replace it", "curl -sSv -o /dev/null {url}")
        case .clock:
            .problem(
                "the certificate of {host} is refused because this machine's clock is wrong: it "
                    + "says {time}, and was not set since the machine started",
                "sudo timedatectl set-ntp true")
        case .wrongHost:
            .problem(
                "the certificate at {host} is for another host: `endpoint` is wrong, or a login "
                    + "page of the network answers in its place", "curl -sSv -o /dev/null {url}")
        case .authority:
            .problem(
                "the certificate of {host} is from an authority that is not trusted here: one of "
                    + "your own is named by `ca_file`, the usual ones are in ca-certificates",
                "sudo apt install --reinstall ca-certificates")
        default:
            .problem(
                "there is no secure connection to {host}: {reason}",
                "curl -sSv -o /dev/null {url}")
        }
    }

    private var answerForm: FindingForm {
        switch self {
        case .portal:
            .problem(
                "a web page answers in place of the API at {host} (HTTP {status}): the network "
                    + "wants a login first, or `endpoint` is the address of a page",
                "curl -sS {url} | head")
        case .redirected:
            .problem(
                "{host} sends the question elsewhere ({reason}): the network wants a login first, "
                    + "or `endpoint` is out of date", "curl -sSI {url}")
        case .nothingThere:
            .problem(
                "{host} answers, but has no API at this address (HTTP {status}): the path in "
                    + "`endpoint` is wrong", "sudoedit {file}")
        case .trouble:
            .problem(
                "the API at {host} is in trouble (HTTP {status}); scans are kept and delivered "
                    + "later", "plingsctl status")
        default:
            .problem(
                "what answers at {host} is not the Plings API: {reason}",
                "sudoedit {file}")
        }
    }
}

/// What is said about the token.
package enum TokenDiagnosis: String, Diagnosis {
    case good = "token-good"
    case none = "token-none"
    case notLoggedIn = "token-not-logged-in"
    case session = "token-session"
    case sessionRefused = "token-session-refused"
    case missing = "token-missing"
    case closed = "token-closed"
    case notForStation = "token-not-for-station"
    case unusable = "token-unusable"
    case exposed = "token-exposed"
    case groupReads = "token-group-reads"
    case expired = "token-expired"
    case refused = "token-refused"

    package var form: FindingForm {
        switch self {
        case .good: .ok("the token in {file} is {account} and {validity}")
        case .none:
            .problem(
                "there is no token for the API, so nothing is delivered: neither `auth_url` nor "
                    + "`token_file` is set under [api]", "sudoedit {configuration}")
        case .notLoggedIn:
            .problem(
                "nobody has logged the station in, so nothing is delivered", "plingsctl login")
        case .session: .ok("the station is logged in {account}")
        case .sessionRefused:
            .problem(
                "the API at {host} refuses the token of the station's session: the session was "
                    + "ended elsewhere", "plingsctl login")
        case .missing:
            .problem("the token file {file} is not there", "sudoedit {word}")
        case .closed:
            .note(
                "the token file {file} may not be read by you, so the token was not tried: run as "
                    + "root to try it", "sudo plingsctl doctor")
        case .notForStation:
            .problem(
                "plingsd may not read the token file {file}: it belongs to {owner}, mode {mode}",
                "sudo chown plingsd:plings {word} && sudo chmod 0600 {word}")
        case .unusable: .problem("the token can't be used: {reason}", "sudoedit {word}")
        case .exposed:
            .problem(
                "everybody on this machine can read the token file {file} (mode {mode})",
                "sudo chmod 0600 {word}")
        case .groupReads:
            .note(
                "the group of the token file {file} can read it (mode {mode})",
                "sudo chmod 0600 {word}")
        case .expired:
            .problem(
                "the token in {file} expired at {time}: it must be replaced by a new one",
                "sudoedit {word}")
        case .refused:
            .problem(
                "the API at {host} refuses the token in {token}: it was revoked, or is for another "
                    + "API", "sudoedit {word}")
        }
    }
}
