package import Scanning

/// What a reader program tells the station, one object a line.
package enum ReaderMessage: Sendable, Hashable {
    case reader(Introduction)
    case device(Device)
    case arrive(Arrival)
    case depart(Departure)
    /// The device loop has turned since the last one.
    case alive

    /// The first line of every reader program.
    package struct Introduction: Sendable, Hashable, Codable {
        package let `protocol`: Int
        package let program: String
        package let version: String

        package init(protocol number: Int = 1, program: String, version: String) {
            self.protocol = number
            self.program = program
            self.version = version
        }
    }

    /// A device and its state.
    package struct Device: Sendable, Hashable, Codable {
        package let id: String
        package let name: String
        package let state: DeviceState
        package let reason: String?
        package let signals: [String]?
        /// True with `disconnected` where the program has lost its way to the device, which may
        /// still be there with all that lies on it.
        package var interrupted: Bool?
        /// True where something lies on the device that was there before the program began to
        /// look, and that is still to be told of.
        package var occupied: Bool?

        package init(
            id: String, name: String, state: DeviceState, reason: String? = nil,
            signals: [String]? = nil
        ) {
            self.id = id
            self.name = name
            self.state = state
            self.reason = reason
            self.signals = signals
        }
    }

    /// Why an arrival has no contents.
    package enum Problem: String, Sendable, ListedWord {
        case blank, unsupported, unreadable
    }

    /// A tag or code that is there now, as bytes; what they mean is the station's business.
    package struct Arrival: Sendable, Hashable, Codable {
        package var device: String
        /// Names one presence within this process.
        package var token: String
        package var medium: String
        /// CLOCK_BOOTTIME at detection, in nanoseconds.
        package var bootNanoseconds: UInt64
        package var technology: String?
        package var kind: String?
        /// Lower-case hexadecimal.
        package var uid: String?
        package var uidRandom: Bool?
        /// The whole NDEF message in hexadecimal.
        package var ndef: String?
        /// The bytes of a code in hexadecimal.
        package var payload: String?
        package var problem: Problem?
        package var reason: String?
        /// True where the tag was there already when the program began to look.
        package var present: Bool?

        package init(device: String, token: String, medium: String, bootNanoseconds: UInt64) {
            self.device = device
            self.token = token
            self.medium = medium
            self.bootNanoseconds = bootNanoseconds
        }

        /// The members that are to hold bytes in hexadecimal and hold something else.
        package var notHexadecimal: [String] {
            [("uid", uid), ("ndef", ndef), ("payload", payload)].compactMap { name, text in
                text.map { Hex.decode($0) == nil } == true ? name : nil
            }
        }
    }

    /// A presence that ended.
    package struct Departure: Sendable, Hashable, Codable {
        package let device: String
        package let token: String
        /// CLOCK_BOOTTIME when the tag was last seen, in nanoseconds.
        package let bootNanoseconds: UInt64

        package init(device: String, token: String, bootNanoseconds: UInt64) {
            self.device = device
            self.token = token
            self.bootNanoseconds = bootNanoseconds
        }
    }
}

extension ReaderMessage: Codable {
    private enum Key: String, CodingKey { case reader, device, arrive, depart, alive }
    private struct Nothing: Codable {}

    package init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: Key.self)
        guard let key = members.allKeys.first, members.allKeys.count == 1 else {
            throw DecodingError.wrongValue(try Self.fault(in: decoder), at: [])
        }
        self =
            switch key {
            case .reader: .reader(try members.decode(Introduction.self, forKey: key))
            case .device: .device(try members.decode(Device.self, forKey: key))
            case .arrive: .arrive(try members.decode(Arrival.self, forKey: key))
            case .depart: .depart(try members.decode(Departure.self, forKey: key))
            case .alive: .alive
            }
    }

    /// What is wrong with a line that does not hold exactly one message.
    private static func fault(in decoder: any Decoder) throws -> String {
        let names = try decoder.container(keyedBy: Name.self).allKeys.map(\.stringValue)
        let known = names.filter { Key(rawValue: $0) != nil }
        guard known.isEmpty else { return "holds more than one message" }
        guard let name = names.min() else { return "holds no message" }
        return "holds no known message, but \"\(name.prefix(32))\""
    }

    /// Any member's name.
    private struct Name: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }

        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    package func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: Key.self)
        switch self {
        case .reader(let message): try members.encode(message, forKey: .reader)
        case .device(let message): try members.encode(message, forKey: .device)
        case .arrive(let message): try members.encode(message, forKey: .arrive)
        case .depart(let message): try members.encode(message, forKey: .depart)
        case .alive: try members.encode(Nothing(), forKey: .alive)
        }
    }
}
