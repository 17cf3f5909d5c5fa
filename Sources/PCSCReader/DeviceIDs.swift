internal import Synchronization

/// The ids of the devices that are there now: no two alike, whatever the hardware says.
final class DeviceIDs: Sendable {
    private let taken = Mutex<Set<String>>([])

    /// Takes an id.
    ///
    /// - Parameters:
    ///   - number: Where to begin counting.
    ///   - id: The id with a number of its own, from 1.
    /// - Returns: The first id that nobody has.
    func claim(from number: Int, _ id: (Int) -> String) -> String {
        taken.withLock { taken in
            var number = number
            while !taken.insert(id(number)).inserted { number += 1 }
            return id(number)
        }
    }

    /// Gives an id back.
    func release(_ id: String) {
        taken.withLock { _ = $0.remove(id) }
    }
}
