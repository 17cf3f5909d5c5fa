internal import Scanning

/// Which events a subscriber wants.
struct EventFilter: Equatable {
    /// Nil where all types pass.
    let types: Set<String>?
    /// Ids and names; nil where all readers pass.
    let readers: Set<String>?

    /// Makes a filter from a subscription's lists; an empty list is as absent.
    init(types: [String]?, readers: [String]?) {
        self.types = types.flatMap { $0.isEmpty ? nil : Set($0) }
        self.readers = readers.flatMap { $0.isEmpty ? nil : Set($0) }
    }

    /// Whether an event passes; one without a reader passes every filter of readers.
    func passes(type: String, readerID: String?, readerName: String?) -> Bool {
        if let types, !types.contains(type) { return false }
        guard let readers, let readerID else { return true }
        return readers.contains(readerID) || readerName.map(readers.contains) ?? false
    }

    /// The words of a subscription's lists that mean nothing: types that this version does not
    /// have, and readers that nobody knows.
    ///
    /// - Parameters:
    ///   - types: The list of types.
    ///   - readers: The list of readers.
    ///   - known: The ids and names of the readers there are.
    /// - Returns: The words in their order; nil where there are none.
    static func unknown(
        types: [String]?, readers: [String]?, known: Set<String>
    ) -> [String]? {
        let unknown =
            (types ?? []).filter { !Event.types.contains($0) }
            + (readers ?? []).filter { !known.contains($0) }
        return unknown.isEmpty ? nil : unknown
    }
}
