import TestRig
import Testing

@Suite("the tests' validator of lines")
struct ProtocolValidatorTests {
    private static let alive = Array(#"{"alive":{}}"#.utf8)

    @Test("a line passes as what it is, and as nothing else")
    func kinds() {
        let validator = ProtocolValidator.shared
        #expect(validator.check(Self.alive, as: .reader) == nil)
        #expect(
            validator.check(Self.alive, as: .server) == "$: 'jsonrpc' is a required property")
        #expect(validator.check(Self.alive, as: .client) != nil)
        #expect(validator.check(Self.alive, as: .reply("status")) != nil)
        #expect(
            validator.check(Self.alive, as: .reply("no.such"))
                == "no schema for the reply to 'no.such'")
    }

    @Test("what can be no line at all is told as that")
    func noLine() {
        let validator = ProtocolValidator.shared
        #expect(validator.check([0xFF], as: .reader) == "not UTF-8")
        #expect(validator.check([], as: .reader)?.hasPrefix("not JSON") == true)
        #expect(validator.check(Self.alive + [0x0A], as: .reader) == "a line end within the line")
        let big = [UInt8](repeating: UInt8(ascii: " "), count: 1_048_577)
        #expect(validator.check(big, as: .server) == "1048577 bytes are more than 1048576")
    }

    @Test("many threads are answered, each with its own")
    func threads() async {
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<100 {
                group.addTask {
                    let line = Array("{\"alive\":\(number)}".utf8)
                    let problem = ProtocolValidator.shared.check(line, as: .reader)
                    #expect(problem == "$.alive: \(number) is not of type 'object'")
                }
            }
        }
    }

    private static let interpreters: [(String, String)] = [
        ("/nowhere/python3", "posix_spawn /nowhere/python3: No such file or directory"),
        ("/bin/sh", "sandbox/protocol/line_validator.py"),
    ]

    @Test("where it can't run, no line passes, and the reason is told", arguments: interpreters)
    func noProgram(interpreter: String, reason: String) {
        let validator = ProtocolValidator(interpreter: interpreter)
        for _ in 0..<2 {
            let problem = validator.check(Self.alive, as: .reader) ?? "none"
            #expect(problem.hasPrefix("the line can't be checked: "))
            #expect(problem.contains(reason))
        }
    }
}
