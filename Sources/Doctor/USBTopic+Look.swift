internal import Platform

extension USBFacts {
    private static let devicesFolder = "/sys/bus/usb/devices"
    private static let driverList =
        "/usr/lib/pcsc/drivers/ifd-ccid.bundle/Contents/Info.plist"
    /// Where modprobe looks besides the place that the station's file has.
    ///
    /// Source: modprobe.d(5).
    private static let blacklists = [
        blacklist, "/etc/modprobe.d/plings-blacklist.conf", "/lib/modprobe.d/plings-blacklist.conf",
    ]
    /// ACR122U, which has no interface of the class for smart cards of its own in some versions.
    private static let knownReaders: Set<String> = ["072f:2200"]

    /// Looks at USB as the kernel shows it in sysfs, and at libccid's list.
    init(lookingAround surroundings: Surroundings) {
        let folder = surroundings.path(Self.devicesFolder)
        let names = FolderLook.names(folder)
        isVisible = names != nil
        let all = names ?? []
        devices = all.filter { !$0.contains(":") }.compactMap { name in
            let interfaces = all.filter { $0.hasPrefix("\(name):") }
            return Self.device(name, folder, interfaces)
        }
        driver = FolderLook.text(surroundings.path(Self.driverList), limit: 1 << 20)
            .map(DriverList.read)
        hasBlacklist = Self.blacklists.contains(where: surroundings.has)
        isInstalled = SystemUser(named: Surroundings.serviceUser) != nil
    }

    /// One device, if it is or may be a reader.
    ///
    /// Source: Linux, Documentation/ABI/testing/sysfs-bus-usb; USB-IF, class 0Bh (smart card).
    private static func device(
        _ name: String, _ folder: String, _ interfaces: [String]
    ) -> Device? {
        func text(_ file: String) -> String { FolderLook.text("\(folder)/\(name)/\(file)") ?? "" }
        let id = "\(text("idVendor")):\(text("idProduct"))".lowercased()
        guard id.utf8.count == 9 else { return nil }
        let isSmartCard = interfaces.contains { interface in
            FolderLook.text("\(folder)/\(interface)/bInterfaceClass")?.lowercased() == "0b"
        }
        guard isSmartCard || knownReaders.contains(id) || boards.contains(id) else { return nil }
        return Device(
            port: name, id: id, maker: text("manufacturer"), product: text("product"),
            isSmartCard: isSmartCard,
            drivers: interfaces.compactMap { FolderLook.linkTarget("\(folder)/\($0)/driver") })
    }
}

/// libccid's list of the readers that it drives.
enum DriverList {
    /// Reads the list: three arrays whose elements belong together by their place.
    ///
    /// Source: libccid, Info.plist, ifdVendorID, ifdProductID and ifdFriendlyName.
    ///
    /// - Parameter text: The property list in XML.
    /// - Returns: pcscd's name of each reader, by ids as `072f:2200`.
    static func read(_ text: String) -> [String: String] {
        let vendors = strings(text, "ifdVendorID")
        let products = strings(text, "ifdProductID")
        let names = strings(text, "ifdFriendlyName")
        var list: [String: String] = [:]
        for ((vendor, product), name) in zip(zip(vendors, products), names) {
            list["\(digits(vendor)):\(digits(product))"] = name
        }
        return list
    }

    private static func digits(_ number: String) -> String {
        let hex = number.lowercased().drop { $0 != "x" }.dropFirst()
        return String(repeating: "0", count: max(0, 4 - hex.count)) + hex
    }

    private static func strings(_ text: String, _ key: String) -> [String] {
        guard let start = text.firstRange(of: "<key>\(key)</key>")?.upperBound,
            let end = text[start...].firstRange(of: "</array>")?.lowerBound
        else { return [] }
        return text[start..<end].split(separator: "<string>").dropFirst().map { part in
            String(part.prefix { $0 != "<" }).replacing("&amp;", with: "&")
        }
    }
}
