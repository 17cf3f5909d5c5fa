/// What subscribers know of a state whose changes are published.
///
/// Between a change and its publication the two differ for as long as a commit takes.
struct ToldState<Value> {
    private var told: Value
    private var pending = 0

    /// A state of which nothing was published yet.
    init(_ value: Value) {
        told = value
    }

    /// A change was recorded; `published` follows for it.
    mutating func recorded() {
        pending += 1
    }

    /// A change was published: the state as it was when it was recorded.
    mutating func published(_ value: Value) {
        told = value
        pending -= 1
    }

    /// What subscribers know, where the state is this now.
    func known(now: Value) -> Value { pending == 0 ? now : told }
}
