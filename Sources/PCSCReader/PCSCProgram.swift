internal import ReaderKit

/// The program plings-pcsc.
package enum PCSCProgram {
    /// Runs it, until the end of its input or, with `--list`, for one look.
    package static func run() -> Never {
        Standstill.notice()
        let (settings, output) = ReaderProcess.start(
            program: "plings-pcsc", help: PCSCSettings.help, valued: PCSCSettings.valued,
            flags: PCSCSettings.flags, readsInput: { !$0.listsOnly }
        ) { options throws(UsageError) in try PCSCSettings(options) }
        PCSCContext.refuseToBlock()
        if settings.listsOnly { ReaderListing(settings: settings, output: output).run() }
        var watch = ReaderWatch(settings: settings, output: output)
        watch.run()
    }
}
