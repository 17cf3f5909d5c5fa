import Testing

@testable import Station

@Suite("What subscribers know of a state")
struct ToldStateTests {
    @Test("is the state itself unless a change waits to be published")
    func known() {
        var state = ToldState("a")
        #expect(state.known(now: "a2") == "a2")
        state.recorded()
        #expect(state.known(now: "b") == "a")
        state.recorded()
        state.published("b")
        #expect(state.known(now: "c") == "b")
        state.published("c")
        #expect(state.known(now: "d") == "d")
    }
}
