/// A command line that can't be carried out, and what the person is told.
package struct UsageError: Error, CustomStringConvertible, Equatable {
    package let description: String
    /// The command whose help to point at; nil for the program's own.
    package let topic: String?

    package init(_ description: String, topic: String? = nil) {
        self.description = description
        self.topic = topic
    }

    /// A word that is none of those there are, with the one that was probably meant.
    static func unknown(
        _ noun: String, _ word: String, among words: [String], topic: String? = nil
    ) -> UsageError {
        let hint = NearestWord.to(word, among: words).map { "; did you mean \($0)?" } ?? ""
        return UsageError("there is no \(noun) \(word)\(hint)", topic: topic)
    }
}

/// Finding the word that somebody probably meant.
enum NearestWord {
    /// The word with the fewest slips in between, if they are few for its length.
    static func to(_ word: String, among words: [String]) -> String? {
        let limit = word.count < 4 ? 1 : max(2, min(word.count, 12) / 3)
        return words.map { (word: $0, slips: slips(Array(word), Array($0))) }
            .filter { $0.slips <= limit }
            .min { $0.slips < $1.slips }?.word
    }

    /// How many letters must be added, left out, replaced or swapped with their neighbours.
    ///
    /// Source: the optimal string alignment distance, Damerau 1964.
    private static func slips(_ left: [Character], _ right: [Character]) -> Int {
        // Longer words than any of ours are far from all of them.
        guard left.count <= 40 else { return .max }
        var before: [Int] = []
        var above = Array(0...right.count)
        for row in left.indices {
            var current = [row + 1]
            for column in right.indices {
                let same = left[row] == right[column]
                var least = min(
                    above[column] + (same ? 0 : 1), above[column + 1] + 1, current[column] + 1)
                if row > 0, column > 0, left[row] == right[column - 1],
                    left[row - 1] == right[column]
                {
                    least = min(least, before[column - 1] + 1)
                }
                current.append(least)
            }
            (before, above) = (above, current)
        }
        return above[right.count]
    }
}
