internal import Platform
internal import ServiceManager
internal import Storage

/// Looks into the outbox for what is to be delivered next.
struct OutboxSearch {
    /// How soon the outbox is read again where it could not be, in nanoseconds.
    static let readAgainAfter: UInt64 = 5_000_000_000

    /// What there is to deliver.
    enum Found {
        case row(DeliveryRow)
        /// Nothing now; something that is held falls due after so many nanoseconds.
        case nothing(due: UInt64?)

        /// When to search again; nil where nothing is held, or something was found.
        var due: UInt64? {
            guard case .nothing(let due) = self else { return nil }
            return due
        }
    }

    let store: Store
    let log: Log

    /// The oldest scan of the account that may be sent, of none of the identifiers.
    func oldest(_ excluded: Set<String>, _ account: String?) async -> Found {
        let now = Clocks.bootNanoseconds()
        do {
            let row = try await store.backlogHead(
                excluding: excluded, account: account, bootNanoseconds: now)
            if let row { return .row(row) }
            let due = try await store.nextDue(
                excluding: excluded, account: account, bootNanoseconds: now)
            return .nothing(due: due.map { $0 > now ? $0 - now : 0 })
        } catch {
            log.warning("the outbox can't be read", ["cause": error.description])
            return .nothing(due: Self.readAgainAfter)
        }
    }
}
