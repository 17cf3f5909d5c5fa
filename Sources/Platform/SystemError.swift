internal import Glibc

/// A call into the kernel or glibc that failed.
package struct SystemError: Error, CustomStringConvertible, Sendable, Equatable {
    /// The call that failed, as its manual page names it.
    package let call: String
    /// What it was done to: a path, a peer, a program; never anything secret.
    package let subject: String
    /// The errno value it left.
    package let code: Int32

    package init(_ call: String, _ subject: String, code: Int32) {
        self.call = call
        self.subject = subject
        self.code = code
    }

    /// The failure of the call just made, with what errno says now.
    package init(_ call: String, _ subject: String = "") {
        self.init(call, subject, code: errno)
    }

    package var description: String {
        let on = subject.isEmpty ? "" : " \(subject)"
        return "\(call)\(on): \(SystemError.text(of: code))"
    }

    /// The C library's sentence for an errno value.
    package static func text(of code: Int32) -> String {
        var buffer = [CChar](repeating: 0, count: 128)
        guard strerror_r(code, &buffer, buffer.count) == 0 else { return "error \(code)" }
        let bytes = buffer.prefix { $0 != 0 }.map { UInt8(truncatingIfNeeded: $0) }
        return String(decoding: bytes, as: UTF8.self)
    }
}
