import LineProtocols
import Platform
import Testing

@testable import Station

@Suite("Questions of programs, one after the other")
@LoopActor
struct TurnstileTests {
    @Test("a question waits for the one before, and one that is refused lets the next pass")
    func inTurn() async {
        let turnstile = Turnstile()
        var happened: [String] = []
        let gate = Gate(count: 1)
        Task {
            await turnstile.pass {
                happened.append("first begins")
                await gate.wait()
                happened.append("first ends")
            }
        }
        #expect(await eventually { happened == ["first begins"] })
        Task {
            do throws(RequestError) {
                try await turnstile.pass { () async throws(RequestError) -> Void in
                    happened.append("second is refused")
                    throw .station(.busy, "no")
                }
            } catch {
                happened.append(error.message)
            }
        }
        Task { await turnstile.pass { happened.append("third") } }
        await Task.yield()
        await Task.yield()
        #expect(happened == ["first begins"])
        gate.arrive()
        #expect(await eventually { happened.count == 5 })
        #expect(happened.prefix(3) == ["first begins", "first ends", "second is refused"])
        #expect(Set(happened.suffix(2)) == ["no", "third"])
    }
}
