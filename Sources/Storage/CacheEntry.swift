/// The API's last answer for an identifier.
package struct CacheEntry: Sendable, Hashable {
    /// The instance key.
    package let key: String
    /// The `sub` of the token it was asked with; nil matches every token.
    package let account: String?
    /// JSON of a `Resolution`.
    package let resolution: [UInt8]
    /// When it was stored.
    package let moment: Moment
    /// For how long after that it counts as fresh.
    package let ttlSeconds: Int

    package init(
        key: String, account: String?, resolution: [UInt8], moment: Moment, ttlSeconds: Int
    ) {
        self.key = key
        self.account = account
        self.resolution = resolution
        self.moment = moment
        self.ttlSeconds = ttlSeconds
    }
}

/// What becomes of the cached answer for an identifier.
package enum CacheChange: Sendable, Hashable {
    /// Takes the place of what is there.
    case put(CacheEntry)
    case remove(key: String)
}

/// A look into the cache in the middle of a transaction, whose answer is stored with it.
package struct CacheQuestion: Sendable {
    /// The instance key.
    package let key: String
    /// Who asks; see `Delivery.account`.
    package let account: String?
    /// Makes the events that answer, from what was found.
    ///
    /// Runs on the store's thread while its transaction is open: it computes and does not wait.
    package let respond: @Sendable (CacheEntry?) -> [EventDraft]

    package init(
        key: String, account: String?, respond: @escaping @Sendable (CacheEntry?) -> [EventDraft]
    ) {
        self.key = key
        self.account = account
        self.respond = respond
    }
}

/// The cache as `status` shows it.
package struct CacheSummary: Sendable, Hashable {
    /// Answers in the cache, whoever's they are.
    package let objects: Int
    /// When the oldest and the newest of them were stored.
    package let oldest: Moment?
    package let newest: Moment?
}
