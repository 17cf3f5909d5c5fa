internal import CPCSC
internal import Glibc

/// A connection to pcscd, for one thread alone.
///
/// Of all contexts of the process only one may be asked for readers and their states: libpcsclite
/// 1.9 keeps both in one array for the whole process, without a lock, so that two threads that ask
/// at the same time can take an older state for the newest and sleep through a tap.
/// Source: pcsc-lite 1.9.9, winscard_clnt.c, `readerStates`.
struct PCSCContext: ~Copyable {
    private let handle: SCARDCONTEXT

    /// Connects to pcscd, at the socket that PCSCLITE_CSOCK_NAME names where it is set.
    ///
    /// - Throws: `PCSCError`; `noService` where nobody listens.
    init() throws(PCSCError) {
        var handle = SCARDCONTEXT()
        try check(
            "SCardEstablishContext",
            SCardEstablishContext(
                DWORD(SCARD_SCOPE_SYSTEM), nil, nil, &handle))
        self.handle = handle
    }

    deinit {
        SCardReleaseContext(handle)
    }

    /// Makes the library report a tag that another program holds in place of waiting for it.
    ///
    /// To be called before the first context. Source: pcsc-lite, winscard_clnt.c.
    static func refuseToBlock() {
        setenv("PCSCLITE_NO_BLOCKING", "1", 1)
    }

    /// The names of all readers, in pcscd's order.
    borrowing func readers() throws(PCSCError) -> [String] {
        // 16 readers with names of at most 128 bytes; newer pcscd may be built for more.
        var capacity = 16 * Int(MAX_READERNAME) + 1
        while true {
            var buffer = [CChar](repeating: 0, count: capacity)
            var length = DWORD(capacity)
            let code = PCSCCode(SCardListReaders(handle, nil, &buffer, &length))
            if code == .insufficientBuffer && capacity < 1 << 20 {
                capacity *= 2
                continue
            }
            if code == .noReaders { return [] }
            guard code == .success else { throw PCSCError("SCardListReaders", code: code) }
            return buffer.prefix(Int(length)).split(separator: 0).map { name in
                String(decoding: name.map { UInt8(bitPattern: $0) }, as: UTF8.self)
            }
        }
    }

    /// Waits until a reader's state differs from the one given, or the list of readers changes.
    ///
    /// Blocks for at most the time given, as long as nobody sets the system's clock back: the
    /// library measures with gettimeofday.
    ///
    /// - Parameters:
    ///   - readers: The readers to look at. The states are replaced by those found.
    ///   - list: What the last wait knew of the list of readers; replaced likewise.
    ///   - milliseconds: How long to wait.
    /// - Returns: Whether anything changed.
    /// - Throws: `PCSCError`; `unknownReader` where one of them is not there any more.
    borrowing func waitForChange(
        of readers: inout [ReaderStatus], list: inout ReaderListState, milliseconds: UInt64
    ) throws(PCSCError) -> Bool {
        let names = readers.map(\.name) + [ReaderListState.name]
        let known = readers.map(\.known) + [list.known]
        var states = known.map { state in
            var entry = SCARD_READERSTATE()
            entry.dwCurrentState = DWORD(state)
            return entry
        }
        let code = withCNames(names) { pointers in
            for index in states.indices { states[index].szReader = pointers[index] }
            return PCSCCode(
                SCardGetStatusChange(
                    handle, DWORD(milliseconds), &states, DWORD(states.count)))
        }
        guard code == .success || code == .timeout || code == .cancelled else {
            throw PCSCError("SCardGetStatusChange", code: code)
        }
        for index in readers.indices {
            readers[index].update(
                event: UInt32(truncatingIfNeeded: states[index].dwEventState),
                atr: states[index].answerToReset)
        }
        list.update(event: UInt32(truncatingIfNeeded: states[readers.count].dwEventState))
        return code == .success
    }

    /// Connects to the tag on a reader, shared with other programs.
    ///
    /// Blocks while another program has a transaction with the tag.
    borrowing func connect(to reader: String) throws(PCSCError) -> PCSCCard {
        do throws(PCSCError) {
            return try PCSCCard(
                handle, reader, mode: SCARD_SHARE_SHARED,
                protocols: SCARD_PROTOCOL_T0 | SCARD_PROTOCOL_T1)
        } catch {
            guard error.code == .protocolMismatch else { throw error }
            // Some drivers know storage tags by the raw protocol alone.
            return try PCSCCard(
                handle, reader, mode: SCARD_SHARE_SHARED, protocols: SCARD_PROTOCOL_RAW)
        }
    }

    /// Connects to a reader itself, whether a tag is on it or not.
    borrowing func connectDirectly(to reader: String) throws(PCSCError) -> PCSCCard {
        try PCSCCard(handle, reader, mode: SCARD_SHARE_DIRECT, protocols: 0)
    }
}

/// Throws where a function did not succeed.
func check(_ call: String, reader: String = "", _ returned: LONG) throws(PCSCError) {
    let code = PCSCCode(returned)
    guard code == .success else { throw PCSCError(call, reader: reader, code: code) }
}

extension SCARD_READERSTATE {
    fileprivate var answerToReset: [UInt8] {
        withUnsafeBytes(of: rgbAtr) { Array($0.prefix(Int(cbAtr))) }
    }
}

/// Lends texts as C strings that lie in one buffer.
private func withCNames<Result>(
    _ names: [String], _ body: ([UnsafePointer<CChar>]) -> Result
) -> Result {
    var buffer: [CChar] = []
    var offsets: [Int] = []
    for name in names {
        offsets.append(buffer.count)
        buffer += name.utf8CString
    }
    return buffer.withUnsafeBufferPointer { buffer in
        guard let base = buffer.baseAddress else { return body([]) }
        return body(offsets.map { base + $0 })
    }
}
