import PCSCReader
import Testing

@Suite("What was learned about a reader")
struct ReadExperienceTests {
    private static let eight: ReadLimits = {
        var limits = ReadLimits()
        limits.most = 8
        return limits
    }()

    @Test("a length that a reader has refused is not asked for again")
    func learned() {
        var experience = ReadExperience()
        #expect(experience.limits.most == 16 && experience.limits.answer == 256)
        experience.read(with: Self.eight, inSmallestPieces: false)
        #expect(experience.limits == Self.eight)
    }

    @Test("a tag that refuses all but the least does not make its reader slow for good")
    func stubbornTag() {
        var limits = ReadLimits()
        limits.answer = 15
        var experience = ReadExperience()
        experience.read(with: limits, inSmallestPieces: false)
        #expect(experience.limits.answer == 30)
        limits.answer = 62
        experience.read(with: limits, inSmallestPieces: false)
        #expect(experience.limits.answer == 62)
    }

    @Test("smallest pieces are believed with the second tag in a row, not with one laid down badly")
    func smallestPieces() {
        var experience = ReadExperience()
        experience.read(with: Self.eight, inSmallestPieces: true)
        #expect(experience.limits == ReadLimits())
        experience.read(with: ReadLimits(), inSmallestPieces: false)
        experience.read(with: Self.eight, inSmallestPieces: true)
        #expect(experience.limits == ReadLimits())
        experience.read(with: Self.eight, inSmallestPieces: true)
        #expect(experience.limits == Self.eight)
    }
}
