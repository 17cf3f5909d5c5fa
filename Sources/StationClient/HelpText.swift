/// What `--help` prints: the reference of the command line.
enum HelpText {
    /// The help of a command, or of the program.
    static func of(_ topic: String?) -> String {
        switch topic {
        case "watch": watch
        case "status": status
        case "submit": submit
        case "outbox": outbox
        case "metrics": metrics
        case "login": login
        case "logout": logout
        case "doctor": doctor
        case "version": version
        case "help": help
        default: program
        }
    }

    /// What to type after a mistake.
    static func hint(_ topic: String?) -> String {
        "Try `plingsctl \(topic.map { "\($0) " } ?? "")--help`.\n"
    }

    private static let program = """
        Usage: plingsctl [--socket PATH] COMMAND [OPTION]…

        Talks to the Plings station of this machine, the daemon plingsd.

        Commands:
          watch        show what happens at the station, as it happens
          status       show readers, API, outbox and the rest
          submit 'URL' hand in a tag's URL as if it had been scanned
          outbox       show what is to be delivered; try again or discard what needs attention
          metrics      print counts and sizes as OpenMetrics text
          login        log the station in at the auth server
          logout       log the station out
          doctor       say what keeps the station from its work, and the command that mends it
          version      print the version
          help         show this text, or that of a command

        Options:
          --socket PATH   the station's socket
          --help, -h      show help; after a command, the help of that command
          --version       print the version

        Without --socket it is the environment variable PLINGSD_SOCKET, else the first of these that
        exists:
          /run/plingsd/plingsd.sock
          $XDG_RUNTIME_DIR/plingsd/plingsd.sock
          $XDG_STATE_HOME/plingsd/plingsd.sock   (~/.local/state where the variable is not set)

        Exit status: 0 done, 1 failed, 2 wrong usage, 3 a submitted URL that is no tag's.

        Examples:
          plingsctl status
          plingsctl watch --types scan,resolution
          plingsctl submit 'https://s.plings.io/?t=q&i=4kyQCd5tMDjJVWJH5h95gUcjq3qTX2cj&p=4.2.3'

        """

    private static let watch = """
        Usage: plingsctl watch [OPTION]…

        Shows events, one a line, until it is stopped. When the station is restarted it waits, and
        goes on after the last event that it showed: none is missing and none comes twice. What the
        station no longer has is said on standard error.

        Options:
          --json          print the event objects alone, one a line, byte for byte as the station
                          sends them; on a terminal, invisible characters are escaped
          --since SEQ     begin after this event, with what the station has kept;
                          `start` begins with the oldest, `now` with the next (the default)
          --log UUID      the event log that SEQ belongs to: says so if it was replaced
          --types A,B     only these types: scan, resolution, departure, reader, location, job, api
          --reader NAME   only this reader, by its name or id; may be given again. Events without a
                          reader are shown as well
          --count N       end after N events
          --color WHEN    `auto` (the default: on a terminal, unless NO_COLOR is set), `always` or
                          `never`
          --socket PATH   the station's socket

        Exit status: 0 when it is stopped (Ctrl-C, SIGTERM), N events were shown, or whoever read
        the output is gone; 1 failed; 2 wrong usage.

        Examples:
          plingsctl watch
          plingsctl watch --types scan --reader door
          plingsctl watch --since start | less
          plingsctl watch --json --since 1234 --log 0197c9a4-5d5c-7f0e-8a39-2f6d1c0b7e55
          plingsctl watch --json --types scan --count 1 | jq -r .identifier.url

        """

    private static let status = """
        Usage: plingsctl status [OPTION]…

        Shows the station's readers, location, API, clock, outbox, cache, event log and counters.

        Options:
          --json          print the reply's object as the station sends it
          --color WHEN    `auto` (the default: on a terminal, unless NO_COLOR is set), `always` or
                          `never`
          --socket PATH   the station's socket

        Examples:
          plingsctl status
          plingsctl status --json | jq .outbox

        """

    private static let submit = """
        Usage: plingsctl submit [OPTION]… 'URL'

        Hands in a tag's URL as a scan by hand. It takes the same path as any other scan; the
        station has stored it when the command ends. Prints the scan's id. The URL needs single
        quotes, for a shell would cut it at its first &.

        Needs to be root, the station's own user, or a member of the control group.

        Options:
          --socket PATH   the station's socket

        Exit status: 0 accepted and recognised; 3 accepted, but the URL is no tag's, and why is said
        on standard error; 1 failed; 2 wrong usage.

        Examples:
          plingsctl submit 'https://s.plings.io/?t=q&i=4kyQCd5tMDjJVWJH5h95gUcjq3qTX2cj&p=4.2.3'
          scan=$(plingsctl submit "$url") && echo "scanned as $scan"

        """

    private static let login = """
        Usage: plingsctl login [OPTION]…

        Logs the station in at the auth server that its configuration names ([api] auth_url). The
        station keeps the session and renews it by itself; the password is kept nowhere.

        Asks for the e-mail address and the password. Where standard input is no terminal, the
        password is what it holds, but for a line end, and --email is needed.

        Needs to be root, the station's own user, or a member of the control group.

        Options:
          --email E       the account's e-mail address
          --socket PATH   the station's socket

        Exit status: 0 logged in; 1 failed, and why is said on standard error; 2 wrong usage.

        Examples:
          plingsctl login
          plingsctl login --email kiosk@example.org < password-file

        """

    private static let logout = """
        Usage: plingsctl logout [OPTION]…

        Has the station forget its session, and the auth server revoke it if that can be reached.
        Scans made meanwhile are kept until somebody logs in again.

        Needs to be root, the station's own user, or a member of the control group.

        Options:
          --socket PATH   the station's socket

        Example:
          plingsctl logout

        """

    private static let doctor = """
        Usage: plingsctl doctor [OPTION]…

        Looks at everything that a station needs and says in one sentence each what is wrong, with
        the command that mends it: readers, pcscd, plingsd, its configuration, the API, the token,
        the clock, the store. Works whether plingsd is running or not, and changes nothing. Run as
        root it looks at all of it; as anybody else it says what it could not look at.

        It takes a second or two, and 15 seconds at most where nothing answers.

        Options:
          --json          print an array of {check, state, text, command}
          --config FILE   the configuration (default /etc/plingsd/config.toml)
          --color WHEN    `auto` (the default: on a terminal, unless NO_COLOR is set), `always` or
                          `never`
          --socket PATH   the station's socket

        Exit status: 0 no problem, 1 problems, 2 wrong usage.

        Examples:
          sudo plingsctl doctor
          plingsctl doctor --json | jq -r '.[] | select(.state == "problem") | .check'

        """

    private static let version = """
        Usage: plingsctl version

        Prints the version of plingsctl. That of the running station is in `plingsctl status`.

        Example:
          plingsctl version

        """

    private static let help = """
        Usage: plingsctl help [COMMAND]

        Shows the help of the program, or that of a command.

        Example:
          plingsctl help watch

        """
}
