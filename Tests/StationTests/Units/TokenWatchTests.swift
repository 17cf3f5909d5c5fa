import FoundationEssentials
import Platform
import PlingsAPI
import ServiceManager
import TestRig
import Testing

@testable import Station

@Suite("The token's file")
@LoopActor
struct TokenWatchTests {
    private let folder: TestFolder

    init() throws {
        folder = TestFolder()
    }

    /// What a watch told.
    private final class Told {
        var tokens: [BearerToken?] = []
        var problems: [String?] = []
    }

    private func watch(_ path: String?) -> (TokenWatch, Told) {
        let watch = TokenWatch(path: path, log: .quiet)
        let told = Told()
        watch.onChange = { token, problem in
            told.tokens.append(token)
            told.problems.append(problem)
        }
        watch.start()
        return (watch, told)
    }

    @Test("a token is told at once, a new one when it is written, and the same one not again")
    func changes() async throws {
        let file = folder.write("token", "t1\n")
        let (watch, told) = watch(file)
        let first = try BearerToken("t1")
        #expect(told.tokens == [first])
        #expect(told.problems == [nil])
        watch.read()
        #expect(told.tokens.count == 1)
        folder.write("token", "t2")
        #expect(await eventually { told.tokens.last == (try? BearerToken("t2")) })
        folder.write("next", "t3")
        try FileManager.default.moveItem(atPath: file, toPath: "\(folder.path)/old")
        try FileManager.default.moveItem(atPath: "\(folder.path)/next", toPath: file)
        #expect(await eventually { told.tokens.last == (try? BearerToken("t3")) })
    }

    @Test("a file that is not there yet is noticed when it comes, with its folder")
    func folderComesLater() async throws {
        let (watch, told) = watch("\(folder.path)/later/token")
        #expect(told.tokens == [nil])
        #expect(
            told.problems == [
                "the token file \(folder.path)/later/token: No such file or directory"
            ])
        try FileManager.default.createDirectory(
            atPath: "\(folder.path)/later", withIntermediateDirectories: false)
        folder.write("later/token", "t1")
        #expect(await eventually { told.tokens.last == (try? BearerToken("t1")) })
        _ = watch
    }

    @Test("without a file it is said which key is missing")
    func none() {
        let (_, told) = watch(nil)
        #expect(told.tokens == [nil])
        #expect(told.problems == ["no token is set: [api] token_file or auth_url"])
    }
}
