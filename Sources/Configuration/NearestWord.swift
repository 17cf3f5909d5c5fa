/// The known word that a mistyped one was probably meant to be.
enum NearestWord {
    /// Longer words are no slip of the finger, and comparing them costs the square of their length.
    private static let maxLength = 64

    /// The known word nearest to a mistyped one.
    ///
    /// - Parameters:
    ///   - word: The word as it was written.
    ///   - known: The words it may stand for.
    /// - Returns: The word with the fewest edits, at most a third of its length, else one that the
    ///   mistyped word begins; nil when none is near.
    static func find(_ word: String, among known: [String]) -> String? {
        guard word.utf8.count <= maxLength else { return nil }
        let spelled = word.lowercased().map { $0 == "-" ? "_" : String($0) }.joined()
        let ranked = known.map { candidate in
            (word: candidate, distance: distance(Array(spelled.utf8), Array(candidate.utf8)))
        }
        if let best = ranked.min(by: { $0.distance < $1.distance }),
            best.distance <= max(1, best.word.utf8.count / 3)
        {
            return best.word
        }
        guard spelled.utf8.count >= 3 else { return nil }
        return known.first { $0.hasPrefix(spelled) }
    }

    /// The edits that turn one word into another: insert, delete, replace a letter, or swap two
    /// neighbours.
    ///
    /// Source: the optimal string alignment distance, Damerau, Communications of the ACM 7 (3), 1964.
    ///
    /// - Parameters:
    ///   - left: One word's bytes.
    ///   - right: The other word's bytes.
    /// - Returns: The least number of edits.
    static func distance(_ left: [UInt8], _ right: [UInt8]) -> Int {
        var beforeLast: [Int] = []
        var last = Array(0...right.count)
        for (row, letter) in left.enumerated() {
            var current = [row + 1]
            for (column, other) in right.enumerated() {
                var edits = min(last[column + 1], current[column]) + 1
                edits = min(edits, last[column] + (letter == other ? 0 : 1))
                if row > 0, column > 0, letter == right[column - 1], left[row - 1] == other {
                    edits = min(edits, beforeLast[column - 1] + 1)
                }
                current.append(edits)
            }
            beforeLast = last
            last = current
        }
        return last[right.count]
    }
}
