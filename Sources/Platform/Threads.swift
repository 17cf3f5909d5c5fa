internal import CLinux
internal import Glibc

/// Threads outside Swift's cooperative pool, for libraries that block.
package enum Threads {
    /// Starts a detached thread that runs the body once.
    ///
    /// - Parameters:
    ///   - name: What tools show for it; 15 bytes of it count.
    ///   - body: What it runs.
    /// - Returns: The thread's pthread_t, for comparison only.
    @discardableResult
    package static func start(
        name: String? = nil, _ body: @escaping @Sendable () -> Void
    ) -> UInt {
        let start = Unmanaged.passRetained(Start(name: name, body: body))
        var thread = pthread_t()
        let code = pthread_create(&thread, nil, runStart, start.toOpaque())
        precondition(code == 0, "pthread_create: \(SystemError.text(of: code))")
        pthread_detach(thread)
        return thread
    }
}

private final class Start: Sendable {
    let name: String?
    let body: @Sendable () -> Void

    init(name: String?, body: @escaping @Sendable () -> Void) {
        self.name = name
        self.body = body
    }
}

private func runStart(_ argument: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    guard let argument else { return nil }
    let start = Unmanaged<Start>.fromOpaque(argument).takeRetainedValue()
    if let name = start.name { plings_name_thread(name) }
    start.body()
    return nil
}
