internal import CPCSC

/// A connection to a tag, or to a reader itself; it ends with the value.
struct PCSCCard: APDUChannel, ~Copyable {
    private let handle: SCARDHANDLE
    private let reader: String
    private let activeProtocol: DWORD
    /// Whether the tag is reset when the connection ends, so that the reader selects it anew.
    var resetsAtEnd = false

    init(
        _ context: SCARDCONTEXT, _ reader: String, mode: Int32, protocols: Int32
    ) throws(PCSCError) {
        var handle = SCARDHANDLE()
        var active = DWORD()
        try check(
            "SCardConnect", reader: reader,
            SCardConnect(
                context, reader, DWORD(mode), DWORD(protocols), &handle, &active))
        self.handle = handle
        self.reader = reader
        activeProtocol = active
    }

    deinit {
        SCardDisconnect(handle, DWORD(resetsAtEnd ? SCARD_RESET_CARD : SCARD_LEAVE_CARD))
    }

    /// The longest answer to a short command.
    ///
    /// Source: pcsclite.h, MAX_BUFFER_SIZE.
    private static let answerLimit = 264

    /// Sends a command and waits for the answer; a tag that hangs is waited for as long as the
    /// driver does.
    borrowing func transmit(_ command: [UInt8]) throws(PCSCError) -> [UInt8] {
        var request = SCARD_IO_REQUEST(
            dwProtocol: activeProtocol, cbPciLength: DWORD(MemoryLayout<SCARD_IO_REQUEST>.size))
        var answer = [UInt8](repeating: 0, count: Self.answerLimit)
        var length = DWORD(answer.count)
        try check(
            "SCardTransmit", reader: reader,
            SCardTransmit(
                handle, &request, command, DWORD(command.count), nil, &answer, &length))
        return Array(answer.prefix(Int(length)))
    }

    /// Begins a transaction, which ends with the connection.
    ///
    /// Blocks while another program has one: the library waits for its end whatever it is told. So
    /// this is for when a command has just shown that none has.
    /// Source: pcsc-lite, winscard_clnt.c, SCardBeginTransaction.
    borrowing func keepToOurselves() throws(PCSCError) {
        try check("SCardBeginTransaction", reader: reader, SCardBeginTransaction(handle))
    }

    /// The serial number that the reader's driver knows, or nil where it knows none.
    borrowing func serialNumber() throws(PCSCError) -> String? {
        try attribute(plings_scard_attr_serial_number).map { bytes in
            String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        }
    }

    /// The answer to reset of the tag.
    borrowing func answerToReset() throws(PCSCError) -> [UInt8] {
        try attribute(plings_scard_attr_atr) ?? []
    }

    private borrowing func attribute(_ number: DWORD) throws(PCSCError) -> [UInt8]? {
        var value = [UInt8](repeating: 0, count: Self.answerLimit)
        var length = DWORD(value.count)
        let code = PCSCCode(SCardGetAttrib(handle, number, &value, &length))
        if code == .success { return Array(value.prefix(Int(length))) }
        guard code.trouble == .exchange else {
            throw PCSCError("SCardGetAttrib", reader: reader, code: code)
        }
        return nil
    }
}
