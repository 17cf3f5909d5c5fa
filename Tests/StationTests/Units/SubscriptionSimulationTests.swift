import Testing

@testable import Station

@Suite("A subscriber under random interleavings")
struct SubscriptionSimulationTests {
    @Test("gets the events of its filter without hole or repeat", arguments: 0..<100)
    func noHoleNoRepeat(seed: Int) {
        var simulation = SubscriptionSimulation(seed: UInt64(seed))
        simulation.run(steps: 600, withOutages: false)
        #expect(simulation.received == simulation.wanted)
    }

    @Test("misses nothing that could not be stored when it happened", arguments: 0..<100)
    func outages(seed: Int) {
        var simulation = SubscriptionSimulation(seed: UInt64(seed) + 10_000)
        simulation.run(steps: 600, withOutages: true)
        let received = simulation.received
        let numbers = Set(received.map(\.number))
        #expect(simulation.wanted.filter { !numbers.contains($0.number) } == [])
        let seqs = received.compactMap(\.seq)
        #expect(seqs == seqs.sorted(), "what has a seq comes in the log's order")
        #expect(Set(seqs).count == seqs.count, "and once")
    }

    @Test("never has more than 1 MiB and one page in memory", arguments: 0..<30)
    func memory(seed: Int) {
        var simulation = SubscriptionSimulation(seed: UInt64(seed) + 20_000)
        simulation.run(steps: 2000, withOutages: true)
        #expect(simulation.mostQueued <= Subscription.queueLimit)
    }
}
