/// A reader's name as pcscd makes it: `NAME [INTERFACE] (SERIAL) 00 00`.
///
/// Source: pcsc-lite, hotplug_libudev.c and readerfactory.c, RFSetReaderName.
package struct ReaderName: Sendable, Hashable {
    /// The name as it is.
    package let full: String
    /// Without the numbers at the end and without a serial number.
    package let base: String
    /// What stands in the last parentheses, where it can be a serial number.
    package let serial: String?
    /// The slot of a reader that has several.
    package let slot: Int

    package init(_ full: String) {
        self.full = full
        var rest = full[...]
        var slot = 0
        if let numbers = Self.numbers(at: full) {
            rest = full.dropLast(6)
            slot = numbers.slot
        }
        self.slot = slot
        if rest.hasSuffix(")"), let open = rest.lastIndex(of: "(") {
            let inside = rest[rest.index(after: open)...].dropLast()
            serial = Self.usableSerial(String(inside))
            base = serial == nil ? String(rest) : Self.trimmed(rest[..<open])
        } else {
            serial = nil
            base = String(rest)
        }
    }

    /// The index of the reader and the slot: two pairs of hexadecimal digits at the end.
    private static func numbers(at name: String) -> (index: Int, slot: Int)? {
        let tail = Array(name.suffix(6))
        guard tail.count == 6, tail[0] == " ", tail[3] == " ",
            let index = Int(String(tail[1...2]), radix: 16),
            let slot = Int(String(tail[4...5]), radix: 16)
        else { return nil }
        return (index, slot)
    }

    private static func trimmed(_ text: Substring) -> String {
        var text = text
        while text.last == " " { text = text.dropLast() }
        return String(text)
    }

    /// A serial number that can tell two readers apart, with anything but letters and digits as a
    /// dash; nil for an empty one or for zeros, which cheap readers have.
    package static func usableSerial(_ text: String) -> String? {
        let serial = dashed(text)
        return serial.contains { $0 != "0" && $0 != "-" } ? serial : nil
    }

    /// Letters and digits of ASCII; anything between them becomes one dash.
    static func dashed(_ text: String) -> String {
        text.split { !($0.isASCII && ($0.isLetter || $0.isNumber)) }.joined(separator: "-")
    }

    /// The id of the device.
    ///
    /// `pcsc:` and the name in small letters, then the serial number where there is one: that
    /// stays when the reader is plugged in elsewhere. Without a serial number PC/SC knows nothing
    /// that lasts: identical readers are numbered, `#2` for the second.
    ///
    /// - Parameters:
    ///   - serial: The serial number, from the name or from the driver.
    ///   - number: Which of the readers that would otherwise have the same id, from 1.
    /// - Returns: The id.
    package func deviceID(serial: String?, number: Int) -> String {
        "pcsc:" + Self.dashed(base).lowercased() + (serial.map { ":\($0)" } ?? "")
            + (slot == 0 ? "" : "/\(slot)") + (number == 1 ? "" : "#\(number)")
    }
}
