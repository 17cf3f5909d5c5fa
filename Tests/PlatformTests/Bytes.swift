import Glibc
import Platform

extension Descriptor {
    /// Everything that comes until the end; blocks on a blocking descriptor.
    borrowing func readToTheEnd() -> [UInt8] {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while case .bytes(let count) = buffer.withUnsafeMutableBytes({ read(into: $0) }) {
            bytes += buffer[..<count]
        }
        return bytes
    }

    /// Everything that comes until the end, as text.
    borrowing func textToTheEnd() -> String {
        String(decoding: readToTheEnd(), as: UTF8.self)
    }

    /// Writes a text that fits into what the kernel holds; the bytes that were taken.
    @discardableResult
    borrowing func write(_ text: String) -> Int? {
        Array(text.utf8).withUnsafeBytes { write($0) }
    }

    /// Closes what the number stood for; the number itself now stands for /dev/null.
    borrowing func replaceByNothing() {
        let nothing = Glibc.open("/dev/null", O_RDWR | O_CLOEXEC)
        dup2(nothing, number)
        close(nothing)
    }
}
