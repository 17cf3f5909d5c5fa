import Configuration
import Scanning
import Testing

@testable import Station

@Suite("Where a station is and who reaches it")
struct StationPlaceTests {
    // MARK: The location

    private func location(
        _ source: StationConfiguration.Location.Source, consent: Bool
    ) -> StationLocation {
        var configuration = StationConfiguration.defaults.location
        configuration.source = source
        configuration.consent = consent
        return StationLocation(configuration)
    }

    private let door = StationConfiguration.Location.Source.fixed(
        StationConfiguration.Location.Position(latitude: 65.5841, longitude: 22.1547, accuracy: 8))

    @Test("a fixed place goes along with events, and to the API only with consent")
    func fixed() {
        let place = Location(latitude: 65.5841, longitude: 22.1547, accuracy: 8, source: .fixed)
        for consent in [true, false] {
            let location = location(door, consent: consent)
            #expect(location.current == place)
            #expect(location.toSend == (consent ? place : nil))
            #expect(location.event == LocationEvent(state: .fixed, location: place))
        }
    }

    @Test("without a place there is none to send, whatever the consent")
    func none() {
        let location = location(.none, consent: true)
        #expect(location.current == nil)
        #expect(location.toSend == nil)
        #expect(location.event == LocationEvent(state: .none, location: nil))
    }

    // MARK: The socket

    private func socket(
        _ change: (inout StationConfiguration.Socket) -> Void = { _ in }
    ) throws(StartError) -> StationSocket {
        var configuration = StationConfiguration.defaults.socket
        configuration.mode = 0o660
        configuration.group.name = "root"
        configuration.controlGroup.name = "root"
        change(&configuration)
        return try StationSocket(configuration, path: "/run/s", log: .quiet)
    }

    @Test("groups are looked up by their names")
    func groups() throws {
        let socket = try socket()
        #expect(socket.group == 0)
        #expect(socket.controlGroup == 0)
        #expect(socket.mode == 0o660)
        #expect(socket.path == "/run/s")
    }

    @Test("without the default group the socket is the station's own user's alone")
    func noDefaultGroup() throws {
        let socket = try socket { $0.group.name = "no-such-group" }
        #expect(socket.group == nil)
        #expect(socket.mode == 0o600)
    }

    @Test("a missing default control group gives nobody more than root and the own user have")
    func noControlGroup() throws {
        let socket = try socket {
            $0.controlGroup.name = "no-such-group"
        }
        #expect(socket.controlGroup == nil)
        #expect(socket.mode == 0o660)
    }

    @Test("a group that the operator named must exist")
    func missingGroup() {
        let changes: [(inout StationConfiguration.Socket) -> Void] = [
            {
                $0.group.name = "no-such-group"
                $0.group.isConfigured = true
            },
            {
                $0.controlGroup.name = "no-such-group"
                $0.controlGroup.isConfigured = true
            },
        ]
        for change in changes {
            do throws(StartError) {
                _ = try socket(change)
                Issue.record("a missing group was taken")
            } catch {
                #expect(
                    error.description == "[socket]: there is no group no-such-group on this machine"
                )
            }
        }
    }
}
