import Testing

@testable import Station
@testable import Storage

@Suite("What waits in memory")
struct DeferredChangesTests {
    private func delivery(_ number: Int) throws -> Change {
        Change(
            events: [Sample.draft("\(number)")], delivery: try Sample.delivery("\(number)"))
    }

    private func other(_ number: Int) -> Change { Change(events: [Sample.draft("\(number)")]) }

    private func texts(_ changes: [Change]) -> [String] {
        changes.map { String(decoding: $0.events[0].body, as: UTF8.self) }
    }

    @Test("comes out in the order in which it happened, a part at a time")
    func order() throws {
        var changes = DeferredChanges()
        for number in 1...3_000 {
            let change = number % 3 == 0 ? try delivery(number) : other(number)
            let isOver = changes.append(change)
            #expect(!isOver)
        }
        #expect(changes.count == 3_000 && changes.deliveryCount == 1_000)
        var found: [String] = []
        while !changes.isEmpty {
            let part = changes.first(256)
            found += texts(part)
            changes.removeFirst(part.count)
        }
        #expect(found == texts((1...3_000).map(other)))
    }

    @Test("10,000 deliveries have room, however much else happens; then the oldest goes")
    func limits() throws {
        var changes = DeferredChanges()
        var givenUp = 0
        for number in 1...DeferredChanges.limit {
            if changes.append(try delivery(number)) { givenUp += 1 }
            if changes.append(other(number)) { givenUp += 1 }
        }
        #expect(givenUp == 0)
        let isOtherGivenUp = changes.append(other(0))
        #expect(isOtherGivenUp && changes.deliveryCount == DeferredChanges.limit)
        let isDeliveryGivenUp = changes.append(try delivery(0))
        #expect(isDeliveryGivenUp && changes.deliveryCount == DeferredChanges.limit)
        #expect(changes.first(1)[0].delivery?.id == "2")
    }
}
