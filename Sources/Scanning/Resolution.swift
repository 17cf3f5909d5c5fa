/// What an identifier stands for, as it is published after a scan.
package struct ResolutionEvent: Sendable, Hashable, Codable {
    package var scan: String
    package var reader: ReaderReference
    package var identifier: ScannedIdentifier
    package var outcome: Outcome
    package var source: Source
    /// Why an answer is `OFFLINE`.
    package var reason: OfflineReason?
    /// True where the cached answer is past its time.
    package var stale: Bool?
    package var ageSeconds: Double?
    /// Whether the API's answer differs from the cache's that went before it.
    package var changed: Bool?
    /// True where the API's answer came after the first answer had to be given.
    package var late: Bool?
    package var object: ObjectSummary?
    package var `class`: ObjectClass?
    package var candidates: [ObjectSummary]?
    package var routing: Routing?
    package var error: AnswerError?
    /// The server's id of the scan event.
    package var scanEvent: String?

    package init(
        scan: String, reader: ReaderReference, identifier: ScannedIdentifier, outcome: Outcome,
        source: Source
    ) {
        self.scan = scan
        self.reader = reader
        self.identifier = identifier
        self.outcome = outcome
        self.source = source
    }

    /// What resolving an identifier came to.
    package enum Outcome: String, Sendable, Codable {
        case knownObject = "KNOWN_OBJECT"
        case unknownSpecific = "UNKNOWN_SPECIFIC"
        case unknownGeneral = "UNKNOWN_GENERAL"
        case duplicate = "DUPLICATE"
        case error = "ERROR"
        case offline = "OFFLINE"
    }

    /// Who answered.
    package enum Source: String, Sendable, Codable {
        case cache, api, station
    }

    /// Why there is no answer yet.
    package enum OfflineReason: String, Sendable, Codable {
        case network, unauthorised, notConfigured, waiting
    }
}

/// The answer to "what is behind this identifier", without who asked: what the cache keeps.
package struct Resolution: Sendable, Hashable, Codable {
    package var outcome: ResolutionEvent.Outcome
    package var object: ObjectSummary?
    package var `class`: ObjectClass?
    package var candidates: [ObjectSummary]?
    package var routing: Routing?
    package var error: AnswerError?

    package init(outcome: ResolutionEvent.Outcome) {
        self.outcome = outcome
    }
}

/// An object as a resolution shows it.
package struct ObjectSummary: Sendable, Hashable, Codable {
    package var id: String
    package var name: String?
    package var canEdit: Bool
    package var owner: Owner?
    package var `class`: ObjectClass?
    package var location: Place?
    /// The API's own words; unknown ones pass.
    package var statuses: [String]?
    /// True while work of this station on the object is not yet delivered.
    package var pending: Bool?

    package init(id: String, name: String?, canEdit: Bool) {
        self.id = id
        self.name = name
        self.canEdit = canEdit
    }

    /// Whose it is.
    package struct Owner: Sendable, Hashable, Codable {
        package var id: String
        package var name: String?
        package var type: String?

        package init(id: String, name: String?, type: String?) {
            self.id = id
            self.name = name
            self.type = type
        }
    }

    /// What it is in, on or beside.
    package struct Place: Sendable, Hashable, Codable {
        package var object: String
        package var name: String?
        package var relationship: String?

        package init(object: String, name: String?, relationship: String?) {
            self.object = object
            self.name = name
            self.relationship = relationship
        }
    }
}

/// The class of an object, or the class a tag asserts.
package struct ObjectClass: Sendable, Hashable, Codable {
    package var id: String?
    package var name: String?
    package var classPointer: String?
    package var isGeneric: Bool?

    package init(id: String?, name: String?, classPointer: String?, isGeneric: Bool?) {
        self.id = id
        self.name = name
        self.classPointer = classPointer
        self.isGeneric = isGeneric
    }
}

/// What the API would have a client do next.
package struct Routing: Sendable, Hashable, Codable {
    /// `REDIRECT`, `SHOW_INFO`, `ERROR`; unknown words pass.
    package var action: String
    package var destination: String?
    package var parameters: [Parameter]?
    /// How long the answer may be kept, in seconds.
    package var cacheTTL: Int?

    package init(
        action: String, destination: String?, parameters: [Parameter]?, cacheTTL: Int?
    ) {
        self.action = action
        self.destination = destination
        self.parameters = parameters
        self.cacheTTL = cacheTTL
    }

    /// One of the API's key and value pairs.
    package struct Parameter: Sendable, Hashable, Codable {
        package var key: String
        package var value: String

        package init(key: String, value: String) {
            self.key = key
            self.value = value
        }
    }
}

/// The API's own error for an identifier.
package struct AnswerError: Sendable, Hashable, Codable {
    package var code: String
    package var message: String

    package init(code: String, message: String) {
        self.code = code
        self.message = message
    }
}
