import Glibc
import Platform
import TestRig
import Testing

@testable import Doctor

@Suite("What is said of the store", .serialized)
struct StoreTopicTests {
    private func findings(_ store: String, service: SystemUser? = nil) -> [Finding] {
        let place = Place()
        place.folder.write("config.toml", "[store]\ndirectory = \"\(store)\"\n")
        var surroundings = Surroundings(environment: [:], configurationFile: place.configuration)
        surroundings.programFolders = [Repository.programs]
        var facts = StoreFacts(
            lookingAround: surroundings, ConfigurationFacts(lookingAround: surroundings))
        facts.service = service
        return facts.findings
    }

    @Test("one that plingsd has open is left alone; one that it left is looked through")
    func good() async throws {
        let place = Place()
        let station = StationProcess(in: place.folder)
        let running = await DoctorRun(place)
        let found = try #require(running.findings["store-good"], "\(running.text)")
        #expect(found.text.hasPrefix("the store \(place.store) is in order, with "))
        #expect(
            found.text.hasSuffix("free; plingsd has the database open and watches over it itself"))
        station.stop()
        let stopped = findings(place.store)
        #expect(stopped.map(\.check) == ["store-good"])
        #expect(stopped[0].text.hasSuffix("free; the database was looked through"))
    }

    @Test(
        "root has it looked through as its owner, so that nothing in it comes to belong to root",
        .enabled(if: Nobody.isPossible))
    func asOwner() async throws {
        let place = Place()
        StationProcess(in: place.folder).stop()
        chmod(place.folder.path, 0o711)
        let names = try #require(FolderLook.names(place.store))
        // Without the log and its index SQLite makes them anew.
        for name in names where name != "station.sqlite" { unlink("\(place.store)/\(name)") }
        for path in [place.store, "\(place.store)/station.sqlite"] {
            #expect(chown(path, Nobody.uid, Nobody.uid) == 0)
        }
        let findings = findings(place.store)
        #expect(findings.map(\.check) == ["store-good"])
        #expect(findings[0].text.hasSuffix("free; the database was looked through"))
        for name in try #require(FolderLook.names(place.store)) {
            #expect(try FileLook("\(place.store)/\(name)").uid == Nobody.uid, "\(name)")
        }
    }

    @Test("a damaged database is told with what is wrong, and stays where it is")
    func damaged() throws {
        let folder = TestFolder()
        folder.write("station.sqlite", "this is no database, but a letter to my aunt\n")
        let findings = findings(folder.path)
        #expect(
            findings.map(\.text) == [
                "the database \(folder.path)/station.sqlite is damaged (file is not a database): "
                    + "the station sets it aside when it starts, and begins a new one"
            ])
        #expect(findings[0].command == "sudo systemctl restart plingsd")
        #expect(FilePath.exists("\(folder.path)/station.sqlite"))
    }

    @Test("the station's own suspicion, and what it has set aside, are told")
    func setAside() {
        let folder = TestFolder()
        folder.write("damage-suspected", "")
        let name = "station.sqlite.damaged-20261129T234626123Z"
        folder.write(name, String(repeating: "x", count: 3000))
        folder.write("\(name)-wal", String(repeating: "x", count: 1096))
        let findings = findings(folder.path)
        #expect(findings.map(\.check) == ["store-suspected", "store-set-aside"])
        #expect(
            findings[0].text == "the database in \(folder.path) has shown damage at work: the "
                + "station looks through it when it starts")
        #expect(
            findings[1].text == "1 damaged database was set aside in \(folder.path), 4 KiB in all: "
                + "what waited for delivery was carried over as far as it could be read; plingsd's "
                + "log says how much")
    }

    @Test("a disk with less than 64 MiB, and a read-only one", .enabled(if: SmallDisk.isPossible))
    func disk() throws {
        let disk = try SmallDisk(mebibytes: 8)
        let full = findings(disk.path)
        #expect(full.map(\.check) == ["store-full"])
        #expect(
            full[0].text == "only 8 MiB are free on the disk of the store \(disk.path): below 64 "
                + "MiB no orders are taken, and without any room no scan is kept")
        #expect(full[0].command == "df -h \(disk.path)")
        try disk.makeReadOnly()
        #expect(
            findings(disk.path).map(\.text) == [
                "the disk of the store \(disk.path) is read-only: scans are kept in memory only "
                    + "and are lost at a power cut"
            ])
        let large = try SmallDisk(mebibytes: 65)
        #expect(findings(large.path).map(\.check) == ["store-good"])
    }

    @Test("a folder that is not there, one that is a file, and one that can't be written")
    func folders() {
        let folder = TestFolder()
        #expect(
            findings("\(folder.path)/none").map(\.text) == [
                "the store \(folder.path)/none is not there yet: the station makes it when it "
                    + "starts"
            ])
        let file = folder.write("file", "")
        chmod(file, 0o700)
        #expect(
            findings(file).map(\.text) == ["\(file), where the store should be, is no folder"])
        chmod(folder.path, 0o500)
        let findings = findings(folder.path)
        chmod(folder.path, 0o700)
        #expect(
            findings.map(\.text) == [
                "the store \(folder.path) can't be written by its owner (mode 0500)"
            ])
        #expect(findings[0].command == "sudo chmod 0700 \(folder.path)")
    }

    @Test("a store, or a file in it, that belongs to somebody else is told with whose it is")
    func owner() throws {
        let folder = TestFolder()
        let other = SystemUser(name: "plingsd", uid: 990, gid: 990, groups: [990])
        let owner = try FileLook(folder.path).ownerName
        let findings = findings(folder.path, service: other)
        #expect(
            findings.map(\.text) == [
                "\(folder.path) belongs to \(owner) and not to plingsd, which can't use the store then"
            ])
        #expect(findings[0].command == "sudo chown -R plingsd:plings \(folder.path)")
        let inside = StoreFacts(
            folder: "/s",
            content: .folder(
                FileLook(uid: 990, gid: 990, mode: 0o700, isFolder: true),
                .init(files: ["/s/station.sqlite-wal": FileLook(uid: 0, gid: 0, mode: 0o600)])),
            service: other)
        #expect(
            inside.findings[0].text
                == "/s/station.sqlite-wal belongs to root and not to plingsd, which can't use the "
                + "store then")
    }

    @Test("one that we may not look into is a note, with what opens it")
    func closed() {
        let facts = StoreFacts(folder: "/var/lib/plingsd", content: .closed)
        #expect(
            facts.findings.map(\.text) == [
                "the store /var/lib/plingsd may not be looked into by you: run as root to look at "
                    + "it"
            ])
        #expect(StoreFacts(folder: "/s", content: .unknown).findings.map(\.state) == [.note])
    }
}
