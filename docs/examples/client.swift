// Prints what the tags at a Plings station stand for.
//
// usage: client SOCKET PLACE
//
// PLACE is a file in which the client keeps how far it has come: started again, or after the
// station was restarted, it goes on where it was. Built without a package: swiftc client.swift

import FoundationEssentials
import Glibc

/// How far the client has come, as parameters of `subscribe`.
struct Place: Codable {
    enum Since: Codable {
        case start
        case after(Int64)

        init(from decoder: any Decoder) throws {
            let value = try decoder.singleValueContainer()
            if let seq = try? value.decode(Int64.self) {
                self = .after(seq)
            } else {
                guard try value.decode(String.self) == "start" else {
                    throw DecodingError.dataCorruptedError(
                        in: value, debugDescription: "neither a seq nor start")
                }
                self = .start
            }
        }

        func encode(to encoder: any Encoder) throws {
            var value = encoder.singleValueContainer()
            switch self {
            case .start: try value.encode("start")
            case .after(let seq): try value.encode(seq)
            }
        }
    }

    var since: Since
    var log: String?

    /// How far the last run came; from the beginning if the file is new.
    static func load(_ path: String) -> Place {
        guard access(path, F_OK) == 0 || errno != ENOENT else { return Place(since: .start) }
        guard let data = try? Data(contentsOf: URL(filePath: path)) else {
            fail("\(path) can't be read")
        }
        guard let place = try? JSONDecoder().decode(Place.self, from: data) else {
            fail("\(path) is damaged: delete it to begin with the first event")
        }
        return place
    }

    /// Keeps it: the old file or the new one, never half of one.
    func save(_ path: String) throws {
        let data = try JSONEncoder().encode(self)
        do {
            try data.write(to: URL(filePath: path), options: .atomic)
        } catch {
            fail("\(path) can't be written")
        }
    }
}

struct Request: Encodable {
    struct Parameters: Encodable {
        let types = ["resolution"]
        let since: Place.Since
        let log: String?
    }

    let jsonrpc = "2.0"
    let id = 1
    let method = "subscribe"
    let params: Parameters
}

/// What is read of the station's lines; members that are not named here are ignored.
struct Message: Decodable {
    struct Event: Decodable {
        struct Object: Decodable { let name: String? }
        struct Identifier: Decodable { let url: String }

        let seq: Int64?
        let type: String?
        let outcome: String?
        let object: Object?
        let identifier: Identifier?
        /// Of `bye`.
        let reason: String?
    }

    struct Result: Decodable {
        struct Gap: Decodable { let first: Int64 }

        let from: Int64
        let log: String
        let gap: Gap?
    }

    struct Failure: Decodable {
        struct Details: Decodable { let reason: String? }

        let message: String
        let data: Details?
    }

    let method: String?
    let params: Event?
    let result: Result?
    let error: Failure?
}

func say(_ text: String) {
    fputs("\(text)\n", stderr)
}

/// Ends the client with a sentence for people.
func fail(_ sentence: String) -> Never {
    say(sentence)
    exit(1)
}

/// Takes one message.
func take(_ message: Message, _ place: inout Place) {
    if message.method == "event", let event = message.params {
        if event.type == "resolution" {
            let name = event.object?.name ?? "-"
            print(event.outcome ?? "?", name, event.identifier?.url ?? "")
            fflush(stdout)
        }
        // An event that could not be stored has no seq; it comes again from the log.
        if let seq = event.seq { place.since = .after(seq) }
    } else if message.method == "bye" {
        say("the station ends it: \(message.params?.reason ?? "?")")
    } else if let error = message.error {
        guard error.data?.reason == "busy" else { fail(error.message) }
    } else if let result = message.result {
        if let gap = result.gap { say("events before \(gap.first) are gone") }
        place = Place(since: .after(result.from), log: result.log)
    }
}

/// Connects; nil where nobody listens.
func connect(to path: String) -> Int32? {
    let station = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { bytes in
        bytes.copyBytes(from: path.utf8.prefix(bytes.count - 1))
    }
    let code = withUnsafePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
            Glibc.connect(station, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
        }
    }
    guard code != 0 else { return station }
    close(station)
    return nil
}

/// One connection, to its end; whatever ends it, the next one goes on from the file.
func follow(_ path: String, _ file: String) throws {
    var place = Place.load(file)
    guard let station = connect(to: path) else { return }
    defer { close(station) }
    let parameters = Request.Parameters(since: place.since, log: place.log)
    let request = try JSONEncoder().encode(Request(params: parameters)) + Data("\n".utf8)
    guard request.withUnsafeBytes({ write(station, $0.baseAddress, $0.count) }) == request.count
    else { return }
    var received: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while case let count = read(station, &buffer, buffer.count), count > 0 {
        received += buffer[..<count]
        while let end = received.firstIndex(of: UInt8(ascii: "\n")) {
            let line = Data(received[..<end])
            received.removeSubrange(...end)
            take(try JSONDecoder().decode(Message.self, from: line), &place)
            try place.save(file)
        }
    }
}

guard CommandLine.arguments.count == 3 else {
    say("usage: client SOCKET PLACE")
    exit(2)
}
signal(SIGPIPE, SIG_IGN)
while true {
    try follow(CommandLine.arguments[1], CommandLine.arguments[2])
    // The station is being restarted, or not there yet.
    sleep(1)
}
