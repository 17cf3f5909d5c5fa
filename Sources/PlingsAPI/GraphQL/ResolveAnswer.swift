package import Scanning

/// The API's answer to a scan.
///
/// Whatever it says, the scan is delivered.
package struct ResolveAnswer: Sendable, Equatable {
    package var resolution: Resolution
    /// The server's id of the scan event.
    package var scanEvent: String?
    /// How long the answer may be kept, in seconds.
    package var cacheTTL: Int?

    package init(resolution: Resolution, scanEvent: String?, cacheTTL: Int?) {
        self.resolution = resolution
        self.scanEvent = scanEvent
        self.cacheTTL = cacheTTL
    }
}

extension ResolveAnswer {
    /// Decides what an answer means.
    ///
    /// The first of these that applies:
    /// 1. any candidate: `DUPLICATE`, whatever stands beside it;
    /// 2. any sign of an error (`error`, `success` false, the action `ERROR`): `ERROR`, also where
    ///    other members contradict it, since an object shown in error is worse than none;
    /// 3. an object with an id: `KNOWN_OBJECT`;
    /// 4. an object without one, or no `success` either: `ERROR` of our own, not a retry: the
    ///    server has recorded the scan, and would record it again;
    /// 5. no object: `UNKNOWN_SPECIFIC` where a class is named, else `UNKNOWN_GENERAL`.
    init(_ payload: ResolvePayload) {
        resolution = Self.decide(payload)
        resolution.routing = payload.routing
        scanEvent = payload.scanEvent ?? payload.parameter(RoutingKey.scanEvent)
        cacheTTL = payload.routing?.cacheTTL
    }

    private static func decide(_ payload: ResolvePayload) -> Resolution {
        if payload.hasCandidates {
            var duplicate = Resolution(outcome: .duplicate)
            duplicate.candidates = payload.candidates
            return duplicate
        }
        let isRefused = payload.hasError || payload.success == false
        if isRefused || payload.routing?.action == "ERROR" {
            return refused(payload.error)
        }
        if let object = payload.object {
            var known = Resolution(outcome: .knownObject)
            known.object = object
            return known
        }
        guard !payload.hasObject, payload.success == true else {
            return refused(incomplete)
        }
        return unknown(payload)
    }

    /// The station's own code for an answer that can't be understood.
    package static let incompleteCode = "INCOMPLETE_ANSWER"
    /// The station's own code for an error that the API does not name.
    package static let unnamedCode = "UNNAMED_ERROR"

    private static let incomplete = AnswerError(
        code: incompleteCode, message: "The API's answer names no object and no reason.")

    private static func refused(_ error: AnswerError?) -> Resolution {
        var refused = Resolution(outcome: .error)
        var named = error ?? AnswerError(code: "", message: "")
        if named.code.isEmpty { named.code = unnamedCode }
        if named.message.isEmpty { named.message = "The API gives no reason." }
        refused.error = named
        return refused
    }

    private static func unknown(_ payload: ResolvePayload) -> Resolution {
        guard let named = payload.objectClass ?? payload.parameterClass else {
            return Resolution(outcome: .unknownGeneral)
        }
        var specific = Resolution(outcome: .unknownSpecific)
        specific.class = named
        return specific
    }

    /// Masks the token where the API's words repeat it.
    func masking(_ secret: Secret) -> ResolveAnswer {
        guard let error = resolution.error else { return self }
        var masked = self
        masked.resolution.error = AnswerError(
            code: secret.masked(in: error.code), message: secret.masked(in: error.message))
        return masked
    }
}

extension ResolvePayload {
    /// The first routing parameter of that key with anything in it.
    fileprivate func parameter(_ key: String) -> String? {
        routing?.parameters?.first { $0.key == key && !$0.value.isEmpty }?.value
    }

    fileprivate var parameterClass: ObjectClass? {
        parameter(RoutingKey.objectClass).map {
            ObjectClass(
                id: $0, name: parameter(RoutingKey.className), classPointer: nil, isGeneric: nil)
        }
    }
}
