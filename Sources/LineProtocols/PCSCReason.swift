/// The reasons that plings-pcsc gives for the state of a device, one wording for all who read them.
package enum PCSCReason {
    package static let notRunning = "pcscd is not running"
    package static let noReader = "no reader is connected"
    package static let noMatch = "no connected reader matches"
    /// Source: pcsc-lite, auth.c and org.debian.pcsc-lite.policy.
    package static let refused =
        "polkit refuses access to pcscd (org.debian.pcsc-lite.access_pcsc)"
    package static let tagsRefused =
        "polkit refuses access to tags (org.debian.pcsc-lite.access_card)"
    /// How pcscd before 2.0 refuses a tag.
    ///
    /// Source: pcsc-lite 1.9.9, winscard_svc.c, SCARD_CONNECT.
    package static let hungUp =
        "pcscd hangs up when a tag is to be read: polkit may refuse access to tags "
        + "(org.debian.pcsc-lite.access_card)"
    package static let held = "another program has the reader to itself"
    package static let driver = "the reader's driver reports an error"
    package static let unplugged = "unplugged"
}
