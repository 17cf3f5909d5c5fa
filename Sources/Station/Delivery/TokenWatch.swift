internal import Platform
internal import PlingsAPI
internal import ServiceManager

/// Reads the access token from its file, and again whenever the file changes.
@LoopActor
final class TokenWatch {
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
        read()
        guard let path else { return }
        do {
            let watch = try FileWatch(folders: [FilePath.folder(of: path)])
            _ = try LoopActor.watch(watch.descriptor.number, for: .readable) { [weak self] _ in
                self?.watch?.drain()
                self?.read()
            }
            self.watch = consume watch
        } catch {
            log.warning("the token file can't be watched", ["cause": error.description])
        }
    }

    /// Reads the file; tells only what has changed.
    func read() {
        guard let path else {
            return tell(nil, "no token is set: [api] token_file")
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
