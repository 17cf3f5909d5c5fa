import Platform
import TestRig

/// Configurations that several suites use.
enum Setting {
    static let alone = "[readers]\nautomatic = false\n"

    /// An API, its token in the folder, and whatever else.
    static func api(
        _ sandbox: SandboxProcess, in folder: TestFolder, token: String = "token-anna",
        more: String = ""
    ) -> String {
        let file = folder.write("token", token)
        return """
            [api]
            endpoint = "\(sandbox.endpoint)"
            token_file = "\(file)"
            \(more)
            """
    }

    /// A reader program that is a shell script: it says the given lines and stays until its input
    /// ends.
    static func script(_ folder: TestFolder, name: String, _ lines: [String], then: String = "cat")
        -> String
    {
        let text = lines.map { "echo '\($0)'" }.joined(separator: "\n")
        let file = folder.write(
            "\(name).sh", "#!/bin/sh\n\(text)\n\(then) >/dev/null\n", mode: 0o700)
        return "[[reader]]\nkind = \"exec\"\nname = \"\(name)\"\ncommand = [\"\(file)\"]\n"
    }

    static let introduction = #"{"reader":{"protocol":1,"program":"scripted","version":"1"}}"#

    static func device(_ id: String, _ state: String = "ready") -> String {
        #"{"device":{"id":"\#(id)","name":"\#(id)","state":"\#(state)"}}"#
    }

    /// The arrival of a code, detected now by the shell's clock, which is left to the station.
    static func arrive(_ device: String, token: String, url: String, uid: String? = nil) -> String {
        let hex = url.utf8.map { byte in
            let digits = String(byte, radix: 16)
            return digits.count == 1 ? "0" + digits : digits
        }.joined()
        let tag = uid.map { #","uid":"\#($0)","technology":"iso14443a""# } ?? ""
        return #"{"arrive":{"device":"\#(device)","token":"\#(token)","medium":"qr","#
            + #""bootNanoseconds":1,"payload":"\#(hex)"\#(tag)}}"#
    }

    static func url(_ key: String, path: String = "1.2.3") -> String {
        "https://s.plings.io/?t=n&i=\(key)&p=\(path)"
    }
}
