internal import ReaderKit

/// The program plings-pcsc.
package enum PCSCProgram {
    /// Runs it, until the end of its input.
    package static func run() -> Never {
        Standstill.notice()
        let (settings, output) = ReaderProcess.start(
            program: "plings-pcsc", help: PCSCSettings.help, valued: PCSCSettings.valued
        ) { options throws(UsageError) in try PCSCSettings(options) }
        PCSCContext.refuseToBlock()
        var watch = ReaderWatch(settings: settings, output: output)
        watch.run()
    }
}
