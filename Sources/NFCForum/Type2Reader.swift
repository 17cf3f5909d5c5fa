/// Reads the NDEF message of a Type 2 Tag (NTAG21x, MIFARE Ultralight).
///
/// A value: it says which pages it needs next and takes what they hold. It asks for no more reads
/// than the header and the TLV blocks' own lengths need, and never for pages behind the memory
/// that the tag claims, so whatever a tag says, the number of reads is bounded.
///
/// Areas that a lock or memory control TLV reserves are not cut out of the message: on the chips
/// named above they lie behind the data area.
///
/// Source: NFC Forum, Type 2 Tag Operation 1.1, sections 2.3 and 6.
package struct Type2Reader: Sendable {
    /// What to do next.
    package enum Step: Sendable, Hashable {
        case read(page: Int, count: Int)
        case done(Outcome)
    }

    /// What the tag turned out to hold.
    package enum Outcome: Sendable, Hashable {
        /// A message of at least one byte, as it stands on the tag.
        case ndef([UInt8])
        /// Factory state, no NDEF TLV, or one of length zero.
        case blank
        /// Something other than NDEF, for good: the one-time bits say so.
        case noNDEF
        /// A length on the tag goes beyond the tag's memory.
        case lyingLength
    }

    private enum Phase {
        case capabilities
        case block(at: Int)
        case message(at: Int, count: Int)
        case ended(Outcome)
    }

    private var phase = Phase.capabilities
    private var memory = MemoryWindow()
    /// Where the data area ends, as a byte address.
    private var end = Layout.capabilities

    package init() {}

    /// Addresses in bytes from the start of the memory.
    private enum Layout {
        static let page = 4
        /// Page 3: magic number, version, size of the data area in units of 8 bytes, access.
        static let capabilities = 12
        static let data = 16
        static let magic: UInt8 = 0xE1
    }

    /// Source: Type 2 Tag Operation 1.1, table 2.
    private enum Block {
        static let null: UInt8 = 0x00
        static let message: UInt8 = 0x03
        static let terminator: UInt8 = 0xFE
        /// In place of a length: two more bytes are the length.
        static let longLength: UInt8 = 0xFF
    }

    /// What is needed now.
    ///
    /// - Parameter limit: The most bytes one read may have, a multiple of 4.
    /// - Returns: A read to be made and handed to `received`, or what the tag holds.
    package mutating func next(limit: Int) -> Step {
        while true {
            let needed: Range<Int>?
            switch phase {
            case .capabilities: needed = readCapabilities()
            case .block(let address): needed = readBlock(at: address)
            case .message(let address, let count): needed = readMessage(at: address, count)
            case .ended(let outcome): return .done(outcome)
            }
            if let needed { return .read(page: request(needed), count: size(needed, limit)) }
        }
    }

    /// Takes the pages that the last step asked for; fewer whole pages will do.
    package mutating func received(_ bytes: [UInt8]) {
        memory.append(bytes)
    }

    // MARK: What is asked for

    private mutating func request(_ needed: Range<Int>) -> Int {
        let page = max(needed.lowerBound, memory.end(from: needed.lowerBound)) / Layout.page
        memory.expect(at: page * Layout.page)
        return page
    }

    private func size(_ needed: Range<Int>, _ limit: Int) -> Int {
        let missing = needed.upperBound - memory.end
        let pages = (missing + Layout.page - 1) / Layout.page
        return min(max(Layout.page, limit / Layout.page * Layout.page), pages * Layout.page)
    }

    // MARK: What the bytes mean

    /// Each of these gives the addresses that are still missing, or nil after a change of phase.
    private mutating func readCapabilities() -> Range<Int>? {
        // The first READ of a tag gives four pages, so three pages of data come with it.
        guard let header = memory[Layout.capabilities..<Layout.data] else {
            return Layout.capabilities..<(Layout.data + 3 * Layout.page)
        }
        if header.first == Layout.magic {
            end = Layout.data + 8 * Int(header[header.startIndex + 2])
            phase = .block(at: Layout.data)
        } else {
            // Bits of this page go from 0 to 1 once: a tag with other bits can't be formatted.
            let canBeFormatted = (header.first ?? 0) & ~Layout.magic == 0
            phase = .ended(canBeFormatted ? .blank : .noNDEF)
        }
        return nil
    }

    private mutating func readBlock(at address: Int) -> Range<Int>? {
        guard address < end else {
            phase = .ended(.blank)
            return nil
        }
        guard let type = memory[address] else { return upToEnd(from: address) }
        switch type {
        case Block.null:
            phase = .block(at: address + 1)
            return nil
        case Block.terminator:
            phase = .ended(.blank)
            return nil
        default:
            return readLength(of: type, at: address + 1)
        }
    }

    private mutating func readLength(of type: UInt8, at address: Int) -> Range<Int>? {
        guard address < end else { return lie() }
        guard let first = memory[address] else { return upToEnd(from: address) }
        var start = address + 1
        var count = Int(first)
        if first == Block.longLength {
            start += 2
            guard start <= end else { return lie() }
            guard let long = memory[(address + 1)..<start] else { return upToEnd(from: address) }
            count = long.reduce(0) { $0 << 8 | Int($1) }
        }
        guard start + count <= end else { return lie() }
        if type != Block.message {
            phase = .block(at: start + count)
        } else {
            phase = count == 0 ? .ended(.blank) : .message(at: start, count: count)
        }
        return nil
    }

    private mutating func readMessage(at address: Int, _ count: Int) -> Range<Int>? {
        guard let message = memory[address..<(address + count)] else {
            return address..<(address + count)
        }
        phase = .ended(.ndef(Array(message)))
        return nil
    }

    private mutating func lie() -> Range<Int>? {
        phase = .ended(.lyingLength)
        return nil
    }

    /// A block's header is a few bytes, but a longer read costs no more than a short one.
    private func upToEnd(from address: Int) -> Range<Int> { address..<end }
}

extension Type2Reader {
    /// Reads a whole tag.
    ///
    /// - Throws: The transport's error; `ShortRead` where it gave no whole page.
    package static func read(over transport: inout some TagTransport & ~Copyable) throws -> Outcome
    {
        var reader = Type2Reader()
        while true {
            switch reader.next(limit: transport.readLimit) {
            case .done(let outcome): return outcome
            case .read(let page, let count):
                let bytes = try transport.read(page: page, count: count).prefix(count)
                guard bytes.count >= Layout.page else { throw ShortRead(page: page) }
                reader.received(Array(bytes.prefix(bytes.count / Layout.page * Layout.page)))
            }
        }
    }

    /// A read that gave less than a page.
    package struct ShortRead: Error, Sendable, Hashable, CustomStringConvertible {
        package let page: Int

        package init(page: Int) {
            self.page = page
        }

        package var description: String { "less than one page came back for page \(page)" }
    }
}
