import Glibc
import Platform
import TestRig
import Testing

@testable import Doctor

@Suite("What is said of readers on USB")
struct USBTopicTests {
    private let folder = TestFolder()
    private static let name = "ACS ACR122U PICC Interface"
    private static let acr122u = "ACS ACR122U PICC Interface (072f:2200, USB port 1-1.3)"

    /// Makes a device as sysfs shows it.
    private func plug(
        _ port: String, _ id: String, maker: String = "ACS",
        product: String = "ACR122U PICC Interface", interfaceClass: String = "0b",
        driver: String? = nil
    ) throws {
        let base = "sys/bus/usb/devices"
        let interface = "\(base)/\(port):1.0"
        try FilePath.makeFolder("\(folder.path)/\(base)/\(port)", mode: 0o755)
        try FilePath.makeFolder("\(folder.path)/\(interface)", mode: 0o755)
        let ids = id.split(separator: ":").map(String.init)
        folder.write("\(base)/\(port)/idVendor", "\(ids[0])\n")
        folder.write("\(base)/\(port)/idProduct", "\(ids[1])\n")
        folder.write("\(base)/\(port)/manufacturer", "\(maker)\n")
        folder.write("\(base)/\(port)/product", "\(product)\n")
        folder.write("\(interface)/bInterfaceClass", "\(interfaceClass)\n")
        guard let driver else { return }
        symlink("../../../bus/usb/drivers/\(driver)", "\(folder.path)/\(interface)/driver")
    }

    /// libccid with three readers in its list.
    private func installDriver() throws {
        let contents = "usr/lib/pcsc/drivers/ifd-ccid.bundle/Contents"
        try FilePath.makeFolder("\(folder.path)/\(contents)", mode: 0o755)
        func list(_ key: String, _ values: [String]) -> String {
            "<key>\(key)</key>\n<array>\n"
                + values.map { "<string>\($0)</string>\n" }.joined() + "</array>\n"
        }
        let text =
            list("ifdVendorID", ["0x08E6", "0x072F", "0x076B"])
            + list("ifdProductID", ["0x3437", "0x2200", "0x5022"])
            + list("ifdFriendlyName", ["Gemalto &amp; Co", Self.name, "HID OMNIKEY 5022 CL"])
        folder.write("\(contents)/Info.plist", text)
    }

    private func installBlacklist() throws {
        try FilePath.makeFolder("\(folder.path)/usr/lib/modprobe.d", mode: 0o755)
        folder.write("usr/lib/modprobe.d/plings-blacklist.conf", "blacklist pn533_usb\n")
    }

    private func findings(listed: [String]?, isInstalled: Bool = false) -> [Finding] {
        var surroundings = Surroundings(environment: [:])
        surroundings.root = folder.path
        var facts = USBFacts(lookingAround: surroundings)
        facts.isInstalled = isInstalled
        return facts.findings(listed: listed, isPCSCUsed: true)
    }

    @Test("a reader that the kernel's own driver holds is told with what lets it go")
    func kernel() throws {
        try plug("1-1.3", "072f:2200", driver: "pn533_usb")
        try installDriver()
        let missing = findings(listed: [])
        #expect(
            missing.map(\.text) == [
                "the kernel's driver pn533_usb holds the reader \(Self.acr122u), so pcscd can't "
                    + "use it: /usr/lib/modprobe.d/plings-blacklist.conf is missing"
            ])
        #expect(
            missing[0].command == "echo blacklist pn533_usb | sudo tee "
                + "/usr/lib/modprobe.d/plings-blacklist.conf && sudo modprobe -r pn533_usb")
        try installBlacklist()
        let present = findings(listed: [])
        #expect(
            present.map(\.text) == [
                "the kernel's driver pn533_usb holds the reader \(Self.acr122u), so pcscd can't "
                    + "use it, although /usr/lib/modprobe.d/plings-blacklist.conf forbids it: it "
                    + "was loaded before"
            ])
        #expect(present[0].command == "sudo modprobe -r pn533_usb")
    }

    @Test("a reader without libccid, one that libccid does not know, and one not listed")
    func driver() throws {
        try plug("1-1.3", "072f:2200", driver: "usbfs")
        #expect(
            findings(listed: []).map(\.text) == [
                "the reader \(Self.acr122u) is on USB, and pcscd has no driver for it: libccid is "
                    + "not installed"
            ])
        try installDriver()
        #expect(
            findings(listed: []).map(\.text) == [
                "the reader \(Self.acr122u) is on USB, and pcscd does not list it"
            ])
        #expect(findings(listed: ["\(Self.name) 00 00"]) == [])
        #expect(findings(listed: nil) == [])
        try plug("2-1", "1234:5678", maker: "", product: "Tap 9")
        #expect(
            findings(listed: ["\(Self.name) 00 00"]).map(\.text) == [
                "the reader Tap 9 (1234:5678, USB port 2-1) is on USB, and the driver libccid does "
                    + "not know it: it needs a newer libccid or its maker's own driver"
            ])
        #expect(findings(listed: ["\(Self.name) 00 00", "Maker Tap 9 01 00"]) == [])
    }

    @Test("no reader on USB and none listed is one problem; another device is no reader")
    func none() throws {
        try plug("1-2", "046d:c31c", maker: "Logitech", product: "Keyboard", interfaceClass: "03")
        #expect(findings(listed: []).map(\.text) == ["no reader is connected"])
        #expect(findings(listed: nil) == [])
    }

    @Test("a board that needs libnfc is a note, and is not looked for at pcscd")
    func board() throws {
        try plug("1-4", "04cc:2533", maker: "NXP", product: "PN533", interfaceClass: "ff")
        let findings = findings(listed: [])
        #expect(findings.map(\.check) == ["usb-board", "reader-none"])
        #expect(
            findings[0].text == "the board NXP PN533 (04cc:2533, USB port 1-4) is on USB; such "
                + "boards need libnfc, which this version of the station does not use")
    }

    @Test("the missing file is told before it does harm, where the station is installed")
    func blacklist() throws {
        #expect(findings(listed: nil) == [])
        #expect(
            findings(listed: nil, isInstalled: true).map(\.text) == [
                "/usr/lib/modprobe.d/plings-blacklist.conf is missing: the kernel would take a "
                    + "reader such as the ACR122U away from pcscd"
            ])
        try installBlacklist()
        #expect(findings(listed: nil, isInstalled: true) == [])
    }

    @Test("libccid's own list is read")
    func realList() throws {
        let path = "/usr/lib/pcsc/drivers/ifd-ccid.bundle/Contents/Info.plist"
        let text = try #require(FolderLook.text(path, limit: 1 << 20), "libccid is not installed")
        let list = DriverList.read(text)
        #expect(list["072f:2200"] == Self.name)
        #expect(list.count > 300)
        #expect(list.keys.allSatisfy { $0.utf8.count == 9 })
    }
}
