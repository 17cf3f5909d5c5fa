import Platform
import Scanning
import Testing

@testable import Station

@Suite("Scans that wait for their first answer")
@LoopActor
struct FirstAnswersTests {
    /// What was given without the API: the scan and the reason.
    @LoopActor
    private final class Given {
        private(set) var answers: [String: FirstAnswer.Mode] = [:]

        func take(_ answer: FirstAnswer) { answers[answer.scan] = answer.mode }
    }

    private let given = Given()

    private func answers(patience: Duration = .seconds(1000)) -> FirstAnswers {
        FirstAnswers(patience: patience) { [given] in given.take($0) }
    }

    private func expect(_ scan: String, _ answers: FirstAnswers) {
        answers.expect(
            FirstAnswer(
                scan: scan, reader: Sample.reader, identifier: Sample.identifier(), mode: .online))
    }

    @Test("one that the API answers in time is answered by it alone")
    func inTime() async {
        let answers = answers(patience: .milliseconds(50))
        expect("s1", answers)
        expect("s2", answers)
        #expect(answers.apiAnswered("s1"))
        #expect(!answers.apiAnswered("s1"), "the second answer is not the first")
        #expect(await eventually { given.answers["s2"] != nil })
        #expect(given.answers == ["s2": .offline(.waiting)])
        #expect(!answers.apiAnswered("s2"))
    }

    @Test("when the API is gone all that wait are told why, once")
    func gone() {
        let answers = answers()
        for scan in ["s1", "s2", "s3"] { expect(scan, answers) }
        answers.settle("s2", .waiting)
        answers.apiUnavailable(.network)
        answers.apiUnavailable(.unauthorised)
        answers.settle("s1", .waiting)
        #expect(
            given.answers == [
                "s1": .offline(.network), "s2": .offline(.waiting), "s3": .offline(.network),
            ])
    }

    @Test("a scan that nobody waits for is told nothing")
    func unknown() {
        let answers = answers()
        answers.settle("s1", .network)
        #expect(given.answers.isEmpty)
        #expect(!answers.apiAnswered("s1"))
    }

    @Test("without any patience the answer is not waited for")
    func noPatience() async {
        let answers = answers(patience: .zero)
        expect("s1", answers)
        #expect(await eventually { !given.answers.isEmpty })
        #expect(given.answers == ["s1": .offline(.waiting)])
    }
}
