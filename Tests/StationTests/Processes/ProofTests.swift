import Platform
import TestRig
import Testing

/// The proofs of scripts/proofs in short, with the programs that were built with the tests.
@Suite("Proofs in short", .serialized)
struct ProofTests {
    private static let proofs: [[String]] = [
        ["one-sync", "--scans", "2"],
        ["kill-9", "--rounds", "10"],
        ["outage", "--seconds", "3", "--scans", "12", "--pace", "1200", "--no-times"],
        ["stopped-subscriber", "--events", "4000", "--rate", "2000", "--pairs", "1", "--no-times"],
        ["backlog", "--scans", "2000", "--starts", "2", "--seconds", "2", "--no-times"],
        ["tls"],
        ["outsider"],
    ]

    @Test("what is proven at length holds in short", arguments: proofs)
    func proof(_ arguments: [String]) {
        let name = arguments.first ?? ""
        let program = RunningProgram(
            [Repository.path("scripts/proofs/\(name)")] + arguments.dropFirst(),
            environment: ["PLINGS_PROGRAMS": Repository.programs])
        #expect(program.wait(seconds: 120) == .exit(0), "\(program.output)\n\(program.errors)")
    }

    private static let measurements: [[String]] = [
        ["latency", "--taps", "6", "--block", "3", "--folder", "/tmp", "--no-times"],
        ["idle", "--seconds", "2", "--no-times"],
    ]

    @Test("the measurements can be made", arguments: measurements)
    func measurement(_ arguments: [String]) {
        let name = arguments.first ?? ""
        let program = RunningProgram(
            [Repository.path("scripts/proofs/\(name)")] + arguments.dropFirst(),
            environment: ["PLINGS_PROGRAMS": Repository.programs])
        #expect(program.wait(seconds: 120) == .exit(0), "\(program.errors)")
        #expect(program.output.contains("plingsd"))
    }
}
