internal import Glibc
internal import Platform

/// The machine that is looked at, and as whom.
package struct Surroundings: Sendable {
    /// Stands before every path of the system's; empty for this machine itself.
    package var root: String
    /// The environment by name.
    package var environment: [String: String]
    /// The uid that the looking is done as.
    package var user: UInt32
    /// Where programs of the station are looked for, in this order.
    package var programFolders: [String]
    /// The configuration that the person named.
    package var configurationFile: String?
    /// CLOCK_REALTIME in milliseconds since 1970-01-01T00:00:00Z.
    package var now: Int64

    /// This machine, this process's user, and the programs beside this one.
    package init(environment: [String: String], configurationFile: String? = nil) {
        let own = FilePath.folder(of: FilePath.ownProgram)
        root = ""
        self.environment = environment
        user = geteuid()
        programFolders = [own, own + "/../libexec/plingsd"]
        self.configurationFile = configurationFile
        now = Clocks.realMilliseconds()
    }

    var isRoot: Bool { user == 0 }

    /// Where a path of the system's lies.
    func path(_ path: String) -> String { root + path }

    /// Whether something of the system's is there.
    func has(_ path: String) -> Bool { FilePath.exists(self.path(path)) }

    /// The path of a program of the station; nil where it is in none of the folders.
    func program(_ name: String) -> String? {
        programFolders.map { "\($0)/\(name)" }.first(where: FilePath.isExecutable)
    }

    /// A command line that runs a program as a user.
    ///
    /// Source: setpriv(1).
    ///
    /// - Parameters:
    ///   - arguments: The program and its arguments.
    ///   - someone: The user; nil is whoever looks.
    /// - Returns: Nil where only root could, and it is not root that looks.
    func command(_ arguments: [String], as someone: SystemUser?) -> [String]? {
        guard let someone, someone.uid != user else { return arguments }
        guard isRoot else { return nil }
        let identity = ["--reuid=\(someone.uid)", "--regid=\(someone.gid)", "--init-groups"]
        return ["setpriv"] + identity + ["--"] + arguments
    }

    /// The user that the service runs as, and its group.
    static let serviceUser = "plingsd"
    static let serviceGroup = "plings"

    /// The configuration that plingsd reads where none is named.
    static let defaultConfiguration = "/etc/plingsd/config.toml"
    /// The store of the service.
    static let serviceStore = "/var/lib/plingsd"
}
