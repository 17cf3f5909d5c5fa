internal import Platform

/// Opens once everybody has arrived, or once somebody opens it.
@LoopActor
final class Gate {
    private var missing: Int
    private var waiter: CheckedContinuation<Void, Never>?

    init(count: Int) {
        missing = count
    }

    func arrive() {
        missing -= 1
        if missing <= 0 { open() }
    }

    func open() {
        missing = 0
        waiter?.resume()
        waiter = nil
    }

    func wait() async {
        guard missing > 0 else { return }
        await withCheckedContinuation { waiter = $0 }
    }
}
