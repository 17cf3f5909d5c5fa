/// Another PC/SC client, led by words on its standard input.
package struct OtherProgram {
    private let process: VirtualProcess

    /// Source of the constants: pcsclite.h.
    private static let script = """
        import ctypes, sys, threading, time
        pcsc = ctypes.CDLL("libpcsclite.so.1")
        long = ctypes.c_long
        context, card, protocol = long(), long(), ctypes.c_ulong()
        def check(name, *arguments):
            code = getattr(pcsc, name)(*arguments) & 0xFFFFFFFF
            if code:
                sys.exit(f"{name}: {code:08X}")
        check("SCardEstablishContext", 2, None, None, ctypes.byref(context))
        handle = ctypes.byref(card), ctypes.byref(protocol)
        class Request(ctypes.Structure):
            _fields_ = [("protocol", ctypes.c_ulong), ("length", ctypes.c_ulong)]
        def disturb(reader):
            # Selects an application that is not there, which leaves the one that is selected.
            context, card, protocol = long(), long(), ctypes.c_ulong()
            check("SCardEstablishContext", 2, None, None, ctypes.byref(context))
            command = bytes.fromhex("00A4040005F000000001")
            while True:
                if pcsc.SCardConnect(context, reader.encode(), 2, 3, ctypes.byref(card),
                                     ctypes.byref(protocol)):
                    time.sleep(0.001)
                    continue
                answer, length = ctypes.create_string_buffer(264), ctypes.c_ulong(264)
                request = Request(protocol.value, ctypes.sizeof(Request))
                while not pcsc.SCardTransmit(card, ctypes.byref(request), command, len(command),
                                             None, answer, ctypes.byref(length)):
                    length.value = 264
                pcsc.SCardDisconnect(card, 0)
        for line in sys.stdin:
            word, _, reader = line.strip().partition(" ")
            if word in ("hold", "share"):
                mode = 1 if word == "hold" else 2
                while pcsc.SCardConnect(context, reader.encode(), mode, 3, *handle):
                    time.sleep(0.002)
            elif word == "reset":
                check("SCardReconnect", card, 2, 3, 1, ctypes.byref(protocol))
            elif word == "begin":
                check("SCardBeginTransaction", card)
            elif word == "disturb":
                threading.Thread(target=disturb, args=[reader], daemon=True).start()
            elif word == "end":
                check("SCardEndTransaction", card, 0)
            else:
                pcsc.SCardDisconnect(card, 0)
            print(line.strip(), flush=True)
        """

    package init(_ readers: VirtualReaders) throws {
        process = try VirtualProcess(
            ["python3", "-c", Self.script], environment: readers.environment)
    }

    /// Leads it and waits until it has done so: `hold READER` (exclusively), `share READER`, `reset`,
    /// `begin` and `end` a transaction, `leave`, `disturb READER` (sends commands to every tag there).
    ///
    /// - Throws: `VirtualReaders.Failure` with what is wrong.
    package func does(_ line: String) async throws {
        let before = process.output.all.count
        process.write(line + "\n")
        guard await process.output.first(from: before, where: { $0 == line ? true : nil }) != nil
        else {
            let complaint = process.errors.all.joined(separator: "\n")
            throw VirtualReaders.Failure(description: "the other program: \(line): \(complaint)")
        }
    }
}
