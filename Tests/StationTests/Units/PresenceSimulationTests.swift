import Testing

@testable import Station

@Suite("Tags over any sequence of restarts")
struct PresenceSimulationTests {
    @Test("each tag is told once while it lies there, and each departure once")
    func simulation() {
        for seed in UInt64(0)..<500 {
            var simulation = PresenceSimulation(seed: seed)
            simulation.run(steps: 40)
            let story = simulation.steps.joined(separator: "\n")
            #expect(simulation.told == simulation.expected, "seed \(seed):\n\(story)")
            #expect(simulation.wrongDepartures == [], "seed \(seed):\n\(story)")
            #expect(simulation.open == 0, "seed \(seed):\n\(story)")
            guard simulation.told == simulation.expected, simulation.open == 0 else { return }
        }
    }
}
