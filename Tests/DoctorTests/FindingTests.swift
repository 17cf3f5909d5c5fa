import LineProtocols
import TestRig
import Testing

@testable import Doctor

@Suite("Findings")
struct FindingTests {
    @Test("parts go where their names stand, and what they bring along in braces stays")
    func parts() {
        let finding = PCSCDiagnosis.degraded.finding(["reader": "{reason}", "reason": "dust"])
        #expect(finding.text == "the reader {reason} does not work: dust")
        #expect(finding.check == "reader-degraded")
        #expect(finding.state == .problem)
        #expect(finding.command == "sudo systemctl restart pcscd")
    }

    @Test("problems come first, then notes, then what is in order, each as they came")
    func order() {
        let findings = [
            PCSCDiagnosis.ready.finding(["reader": "a"]), APIDiagnosis.notConfigured.finding(),
            PCSCDiagnosis.none.finding(), PCSCDiagnosis.ready.finding(["reader": "b"]),
        ]
        let arranged = Examination.arranged(findings)
        #expect(arranged == [findings[2], findings[1], findings[0], findings[3]])
    }

    @Test("what plingsd says of its token is left out where the token itself was found wanting")
    func token() {
        let said = StationDiagnosis.unauthorised.finding(["reason": "no"])
        let none = TokenDiagnosis.none.finding()
        #expect(Examination.arranged([said, none]) == [none])
        #expect(Examination.arranged([said]) == [said])
        let note = TokenDiagnosis.closed.finding(["file": "/t"])
        #expect(Examination.arranged([said, note]) == [said, note])
    }

    @Test("a command can be pasted into a shell whatever a file is called")
    func quoting() {
        #expect(ShellWord.quoted("/etc/plingsd/config.toml") == "/etc/plingsd/config.toml")
        #expect(ShellWord.quoted("/my café/a;b") == "'/my café/a;b'")
        #expect(ShellWord.quoted("it's") == #"'it'\''s'"#)
        #expect(ShellWord.quoted("") == "''")
    }

    @Test("as JSON a finding has its members by these names, and none where there is no command")
    func json() throws {
        let findings = [PCSCDiagnosis.none.finding(), PCSCDiagnosis.unused.finding()]
        let text = String(decoding: try JSONLine.encode(findings), as: UTF8.self)
        #expect(
            text == #"[{"check":"reader-none","command":"lsusb","state":"problem","#
                + #""text":"no reader is connected"},{"check":"reader-unused","state":"note","#
                + #""text":"the configuration uses no PC/SC reader, so none was looked at"}]"#)
    }
}

@Suite("The reference of findings")
struct ReferenceTests {
    private static let document = "docs/troubleshooting.md"

    /// A row of the document's tables: name, state, when, sentence, command.
    private func rows() throws -> [[String]] {
        let text = try #require(Repository.text(of: Self.document))
        return text.split(separator: "\n").filter { $0.hasPrefix("| `") }.map { line in
            let cells = line.replacing("\\|", with: "\u{1}").split(separator: "|")
            return cells.map { cell in
                cell.replacing("\u{1}", with: "|").drop { $0 == " " }
                    .reversed().drop { $0 == " " }.reversed().map(String.init).joined()
            }
        }
    }

    @Test("names every finding as the program says it, in its order, and no other")
    func agreement() throws {
        let rows = try rows()
        let written = rows.map { $0.count == 5 ? [$0[0], $0[1], $0[3], $0[4]] : $0 }
        let known = FindingReference.all.map { name, form in
            [
                "`\(name)`", form.state.rawValue, form.sentence,
                form.command.map { "`\($0)`" } ?? "–",
            ]
        }
        for (row, entry) in zip(written, known) { #expect(row == entry) }
        #expect(written.count == known.count)
        for row in rows { #expect(row.count == 5 && !row[2].isEmpty, "\(row)") }
    }

    @Test("every name is one word of small letters and dashes, and names one thing")
    func names() {
        let names = FindingReference.all.map(\.name)
        #expect(Set(names).count == names.count)
        for name in names {
            let isPlain = name.utf8.allSatisfy { (0x61...0x7A).contains($0) || $0 == 0x2D }
            #expect(isPlain && name.contains("-"), "\(name)")
        }
    }

    @Test("every problem has a command that mends it or shows more")
    func commands() {
        for (name, form) in FindingReference.all where form.state == .problem {
            #expect(form.command?.isEmpty == false, "\(name)")
        }
    }
}
