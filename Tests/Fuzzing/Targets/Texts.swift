internal import Configuration
internal import Scanning

extension FuzzTarget {
    /// A text that a tag or code carries.
    static let tagURL = FuzzTarget(
        "tag-url",
        dictionary: [
            "https://", "http://", "HTTPS://", "s.plings.io", "S.PLINGS.IO", "/?", "?", "&", "=",
            "t=n", "t=q", "i=", "p=", "cp=", "4.2.3.3.6", "4K7mX9abDcE", "%41", "%25", "%0A", "+",
            ":443", ":80", "@", "#", "\u{FEFF}",
        ]
    ) { bytes in
        let reader = TagURL(hosts: ["s.plings.io"])
        let text = String(decoding: bytes, as: UTF8.self)
        guard case .identifier(let read) = reader.read(text) else { return false }
        let fields =
            [read.type, read.identifier, read.path] + (read.classPointer.map { [$0] } ?? [])
        try demand(
            fields.allSatisfy { !$0.isEmpty && $0.count <= TagURL.fieldLimit },
            "a field is empty or too long")
        try demand(Base58.isValid(read.identifier), "the identifier is not Base58")
        try demand(
            read.url.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control },
            "a control character came through")
        try demand(
            reader.read(read.url) == .identifier(read), "the kept URL reads as something else")
        return read.path.split(separator: ".").count >= 8
    }

    /// A configuration file.
    static let configuration = FuzzTarget(
        "configuration",
        dictionary: [
            "[station]", "[store]", "[socket]", "[api]", "[location]", "[scan]", "[cache]",
            "[readers]", "[[reader]]", "[log]", "kind = ", "\"exec\"", "\"pcsc\"", "command = [",
            "match = ", "mode = ", "\"0660\"", "latitude = ", "longitude = ", "source = ",
            "\"fixed\"", "hosts = [", "\"3s\"", "\"30d\"", "endpoint = ", "\"https://a.b/c\"",
            "true", "false", "\"\"\"", "'''", "\\u0041", "0x10", "1e3", "inf", "nan", "#", "\n",
        ]
    ) { bytes in
        // A file that is no UTF-8 is refused before this.
        guard let text = String(validating: bytes, as: UTF8.self) else { return false }
        do {
            let read = try StationConfiguration.parse(text, file: "c.toml")
            try demand(!read.scan.hosts.isEmpty, "no host is left")
            try demand(read.socket.mode <= 0o777, "a mode of more than the permission bits")
            return false
        } catch let error as ConfigurationError {
            let lines = text.utf8.count { $0 == UInt8(ascii: "\n") } + 1
            try demand(!error.problems.isEmpty, "refused without a reason")
            try demand(
                error.problems.allSatisfy { (1...lines).contains($0.line ?? 1) },
                "a problem lies outside the file")
            try demand(error.description.utf8.count < 100_000, "an endless complaint")
            return error.problems.count >= 6
        }
    }
}
