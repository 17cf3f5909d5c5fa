/// Words for a shell's command line.
package enum ShellWord {
    /// The word as it can be pasted: in quotation marks where a shell would see more than a word.
    ///
    /// Source: POSIX Shell Command Language, section 2.2.2.
    package static func quoted(_ word: String) -> String {
        let isPlain = word.unicodeScalars.allSatisfy { scalar in
            scalar.properties.isAlphabetic || ("0"..."9").contains(scalar)
                || "/._-+:@%,=".unicodeScalars.contains(scalar)
        }
        guard !isPlain || word.isEmpty else { return word }
        return "'" + word.replacing("'", with: #"'\''"#) + "'"
    }
}
