/// What is said about readers that hang on USB.
package enum USBDiagnosis: String, Diagnosis {
    case kernelHolds = "usb-kernel-holds"
    case kernelUnlisted = "usb-kernel-unlisted"
    case blacklistMissing = "usb-blacklist-missing"
    case driverMissing = "usb-driver-missing"
    case unknownReader = "usb-reader-unknown"
    case notListed = "usb-not-listed"
    case board = "usb-board"

    package var form: FindingForm {
        switch self {
        case .kernelHolds:
            .problem(
                "the kernel's driver {driver} holds the reader {device}, so pcscd can't use it, "
                    + "although {path} forbids it: it was loaded before",
                "sudo modprobe -r pn533_usb")
        case .kernelUnlisted:
            .problem(
                "the kernel's driver {driver} holds the reader {device}, so pcscd can't use it: "
                    + "{path} is missing",
                "echo blacklist pn533_usb | sudo tee {path} && sudo modprobe -r pn533_usb")
        case .blacklistMissing:
            .note(
                "{path} is missing: the kernel would take a reader such as the ACR122U away from "
                    + "pcscd", "echo blacklist pn533_usb | sudo tee {path}")
        case .driverMissing:
            .problem(
                "the reader {device} is on USB, and pcscd has no driver for it: libccid is not "
                    + "installed", "sudo apt install libccid && sudo systemctl restart pcscd")
        case .unknownReader:
            .problem(
                "the reader {device} is on USB, and the driver libccid does not know it: it needs "
                    + "a newer libccid or its maker's own driver",
                "sudo apt install --only-upgrade libccid && sudo systemctl restart pcscd")
        case .notListed:
            .problem(
                "the reader {device} is on USB, and pcscd does not list it",
                "sudo systemctl restart pcscd")
        case .board:
            .note(
                "the board {device} is on USB; such boards need libnfc, which this version of the "
                    + "station does not use")
        }
    }
}

/// What USB and the kernel show of readers.
struct USBFacts: Sendable, Equatable {
    var devices: [Device]
    /// Whether USB could be looked at.
    var isVisible: Bool
    /// The readers that libccid knows, by id, with pcscd's names; nil where it is not installed.
    var driver: [String: String]?
    /// Whether the file that keeps the kernel's driver away is there.
    var hasBlacklist: Bool
    /// Whether the station is installed for good, so that the file is missed.
    var isInstalled: Bool

    /// A USB device that is or may be a reader.
    struct Device: Sendable, Equatable {
        /// The folder's name below /sys/bus/usb/devices: bus and ports.
        let port: String
        /// Vendor and product, four hexadecimal digits each: `072f:2200`.
        let id: String
        let maker: String
        let product: String
        /// Whether an interface is of the class for smart cards.
        let isSmartCard: Bool
        /// The drivers of its interfaces.
        let drivers: [String]

        /// As a person finds it.
        var shown: String {
            let name = [maker, product].filter { !$0.isEmpty }.joined(separator: " ")
            return name.isEmpty ? "\(id) at USB port \(port)" : "\(name) (\(id), USB port \(port))"
        }
    }

    static let blacklist = "/usr/lib/modprobe.d/plings-blacklist.conf"
    /// The kernel's drivers of NFC readers.
    ///
    /// Source: Linux, drivers/nfc/pn533/usb.c, port100.c.
    private static let kernelDrivers: Set<String> = ["pn533_usb", "pn533", "port100"]
    /// Boards that libnfc drives.
    ///
    /// Source: libnfc, drivers/pn53x_usb.c.
    static let boards: Set<String> = [
        "04cc:0531", "04cc:2533", "04e6:5591", "04e6:5594", "054c:0193", "054c:02e1", "1fd3:0608",
    ]

    /// What there is to say.
    ///
    /// - Parameters:
    ///   - listed: The names of the readers that pcscd lists; nil where that is not known.
    ///   - isPCSCUsed: Whether the configuration asks for PC/SC readers.
    /// - Returns: What is wrong, and whether there is any reader.
    func findings(listed: [String]?, isPCSCUsed: Bool) -> [Finding] {
        var findings = devices.compactMap { finding($0, listed) }
        let isTold = findings.contains { $0.check == USBDiagnosis.kernelUnlisted.rawValue }
        if isInstalled, !hasBlacklist, !isTold {
            findings.append(USBDiagnosis.blacklistMissing.finding(["path": Self.blacklist]))
        }
        let isReaderThere = devices.contains { !isBoard($0) }
        if isPCSCUsed, let listed, listed.isEmpty, !isReaderThere {
            findings.append(PCSCDiagnosis.none.finding())
        }
        return findings
    }

    private func isBoard(_ device: Device) -> Bool { Self.boards.contains(device.id) }

    private func finding(_ device: Device, _ listed: [String]?) -> Finding? {
        let parts = ["device": device.shown, "path": Self.blacklist]
        if let driver = device.drivers.first(where: Self.kernelDrivers.contains) {
            let diagnosis: USBDiagnosis = hasBlacklist ? .kernelHolds : .kernelUnlisted
            return diagnosis.finding(parts.merging(["driver": driver]) { $1 })
        }
        if isBoard(device) { return USBDiagnosis.board.finding(parts) }
        guard let driver else { return USBDiagnosis.driverMissing.finding(parts) }
        guard let name = driver[device.id] else { return unknown(device, parts, listed) }
        guard let listed else { return nil }
        return listed.contains { $0.hasPrefix(name) } ? nil : USBDiagnosis.notListed.finding(parts)
    }

    /// A reader that libccid has not in its list may have its maker's driver.
    private func unknown(
        _ device: Device, _ parts: [String: String], _ listed: [String]?
    ) -> Finding? {
        let isListed = listed?.contains { name in
            !device.product.isEmpty && name.contains(device.product)
        }
        return isListed == true ? nil : USBDiagnosis.unknownReader.finding(parts)
    }
}
