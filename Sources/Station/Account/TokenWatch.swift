internal import Platform
internal import PlingsAPI
internal import ServiceManager

/// Reads the access token from its file, and again whenever the file changes.
@LoopActor
final class TokenWatch {
    /// How often the file is looked at where its folder can't be watched.
    private static let lookAgainAfter = Duration.seconds(5)

    private let path: String?
    private let log: Log
    private var watch: FileWatch?
    private var lastProblem: String?
    private var lastToken: BearerToken?
    private var wasRead = false
    /// Called with the token, or with why there is none.
    var onChange: @LoopActor (BearerToken?, String?) -> Void = { _, _ in }

    init(path: String?, log: Log) {
        self.path = path
        self.log = log
    }

    func start() {
        guard let path else { return read() }
        defer { read() }
        if let problem = watchFolder(of: path) {
            log.warning(
                "the token's folder can't be watched; it is looked at every 5 seconds",
                ["cause": problem.description])
            lookAgain(at: path)
        }
    }

    private func lookAgain(at path: String) {
        LoopActor.after(Self.lookAgainAfter) { [weak self] in
            guard let self else { return }
            let problem = watchFolder(of: path)
            read()
            if problem != nil { lookAgain(at: path) }
        }
    }

    /// Begins to watch the folder of the file.
    ///
    /// - Returns: Why it can't be watched; nil where it is.
    private func watchFolder(of path: String) -> SystemError? {
        do {
            let watch = try FileWatch(folders: [FilePath.folder(of: path)])
            _ = try LoopActor.watch(watch.descriptor.number, for: .readable) { [weak self] _ in
                self?.watch?.drain()
                self?.read()
            }
            self.watch = consume watch
            return nil
        } catch {
            return error
        }
    }

    /// Reads the file; tells only what has changed.
    func read() {
        guard let path else {
            return tell(nil, "no token is set: [api] token_file or auth_url")
        }
        do {
            let file = try TokenFile.read(path)
            if let warning = file.warning, !wasRead {
                log.warning("others can read the token", ["cause": warning.description])
            }
            tell(file.token, nil)
        } catch {
            tell(nil, error.description)
        }
    }

    private func tell(_ token: BearerToken?, _ problem: String?) {
        guard !wasRead || token != lastToken || problem != lastProblem else { return }
        wasRead = true
        lastToken = token
        lastProblem = problem
        onChange(token, problem)
    }
}
