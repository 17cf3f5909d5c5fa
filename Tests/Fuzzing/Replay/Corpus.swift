internal import FuzzTargets
internal import Scanning
internal import TestRig

/// The inputs of one target that are kept: one a line, in hexadecimal.
struct Corpus {
    let inputs: [[UInt8]]

    /// Reads the corpus of a target, nil where there is none or a line is no hexadecimal.
    init?(_ target: FuzzTarget) {
        guard let text = Repository.text(of: Self.file(target)) else { return nil }
        var inputs: [[UInt8]] = []
        for line in text.split(separator: "\n") {
            guard let bytes = Hex.decode(String(line)) else { return nil }
            inputs.append(bytes)
        }
        self.inputs = inputs
    }

    static func file(_ target: FuzzTarget) -> String {
        "Tests/Fuzzing/Corpora/\(target.name).hex"
    }
}
