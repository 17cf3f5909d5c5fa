import FoundationEssentials
import TestRig
import Testing

@testable import Station

@Suite("When the station last looked at its readers")
struct LastLookTests {
    @Test("is known to the next run in the same boot, and to none in another")
    func kept() throws {
        let folder = TestFolder()
        let look = LastLook(besideSocket: "\(folder.path)/s.sock")
        #expect(look.read(bootID: Sample.boot) == nil)
        try look.write(18_446_744_073_709_551_615, bootID: Sample.boot)
        try look.write(42, bootID: Sample.boot)
        let next = LastLook(besideSocket: "\(folder.path)/s.sock")
        #expect(next.read(bootID: Sample.boot) == 42)
        #expect(next.read(bootID: Sample.otherBoot) == nil)
    }

    private static let odd = [
        "", " ", "x", "\n\n", Sample.boot, "\(Sample.boot) ", "\(Sample.boot) x\n",
        "\(Sample.boot) -1\n", "\(Sample.boot) 1 2\n",
        "\(Sample.boot) 99999999999999999999999999\n",
    ]

    @Test("is unknown where the file holds something else", arguments: odd)
    func unknown(text: String) throws {
        let folder = TestFolder()
        try Data(text.utf8).write(to: URL(filePath: "\(folder.path)/s.sock.seen"))
        #expect(LastLook(besideSocket: "\(folder.path)/s.sock").read(bootID: Sample.boot) == nil)
    }

    @Test("is not written through a link")
    func link() throws {
        let folder = TestFolder()
        try FileManager.default.createSymbolicLink(
            atPath: "\(folder.path)/s.sock.seen", withDestinationPath: "\(folder.path)/precious")
        let look = LastLook(besideSocket: "\(folder.path)/s.sock")
        #expect(throws: (any Error).self) { try look.write(1, bootID: Sample.boot) }
        #expect(!FileManager.default.fileExists(atPath: "\(folder.path)/precious"))
    }
}
