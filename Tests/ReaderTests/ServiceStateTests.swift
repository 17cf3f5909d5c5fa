import LineProtocols
import Scanning
import Testing

@testable import PCSCReader

@Suite("Ids and the state of the service")
struct ServiceStateTests {
    private func device(_ message: ReaderMessage?) -> ReaderMessage.Device? {
        if case .device(let device) = message { device } else { nil }
    }

    @Test("why there is no reader is told once, and never that there is one")
    func changes() {
        var service = ServiceState()
        #expect(service.message(nil) == nil)
        let told = device(service.message("pcscd is not running"))
        #expect(told?.id == "pcsc" && told?.name == "PC/SC")
        #expect(told?.state == .disconnected && told?.reason == "pcscd is not running")
        #expect(service.message("pcscd is not running") == nil)
        #expect(device(service.message("no reader is connected"))?.state == .disconnected)
        #expect(service.message(nil) == nil)
        #expect(service.message("no reader is connected") != nil)
    }

    static let causes: [(UInt32, Int, String?)] = [
        (0x8010_001D, 0, "pcscd is not running"),
        (0x8010_001E, 0, "pcscd is not running"),
        (0x8010_0013, 0, "pcscd is not running"),
        (0x8010_006A, 1, nil),
        (0x8010_0013, 2, nil),
        (0x8010_001D, 3, "polkit refuses access to pcscd (org.debian.pcsc-lite.access_pcsc)"),
        (0x8010_0006, 0, "SCardEstablishContext: Not enough memory (0x80100006)"),
    ]

    @Test("the cause is named", arguments: causes)
    func cause(code: UInt32, refusals: Int, reason: String?) {
        let error = PCSCError("SCardEstablishContext", code: PCSCCode(code))
        #expect(PCSCReason.reason(for: error, refusals: refusals) == reason)
    }

    @Test("no two devices have the same id at a time")
    func ids() {
        let ids = DeviceIDs()
        let name: (Int) -> String = { $0 == 1 ? "pcsc:a" : "pcsc:a#\($0)" }
        #expect(ids.claim(from: 1, name) == "pcsc:a")
        #expect(ids.claim(from: 1, name) == "pcsc:a#2")
        #expect(ids.claim(from: 4, name) == "pcsc:a#4")
        ids.release("pcsc:a")
        #expect(ids.claim(from: 1, name) == "pcsc:a")
    }
}
