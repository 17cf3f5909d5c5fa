internal import LineProtocols
internal import Platform
internal import Scanning

/// The methods of the station protocol.
@LoopActor
struct Methods {
    unowned let station: Station

    /// Carries out one request.
    func answer(_ request: StationRequest, from client: ClientConnection) async -> [UInt8] {
        do {
            return try await result(of: request, from: client)
        } catch {
            return StationLine.error(error, id: request.id)
        }
    }

    private func result(
        of request: StationRequest, from client: ClientConnection
    ) async throws(RequestError) -> [UInt8] {
        guard client.permissions.mayWatch else {
            throw .station(.notAllowed, "a reader program may not use the station's socket")
        }
        switch request.method {
        case "subscribe":
            let parameters = try request.parameters(SubscribeParameters.self)
            return StationLine.reply(request.id, await station.subscribe(client, parameters))
        case "unsubscribe":
            client.unsubscribe()
            return StationLine.reply(request.id, EmptyObject())
        case "status":
            return await inTurn { StationLine.reply(request.id, await station.status()) }
        case "metrics":
            return await inTurn {
                StationLine.reply(request.id, MetricsResult(text: await station.metrics()))
            }
        case "scan.submit":
            return StationLine.reply(request.id, try await submit(request, client))
        case let method where method.hasPrefix("outbox."):
            return try await outbox(request, client)
        case "account.login":
            return StationLine.reply(request.id, try await login(request, client))
        case "account.logout":
            return StationLine.reply(request.id, try await logout(client))
        default: throw .unknownMethod(request.method)
        }
    }

    private func inTurn(_ answer: @LoopActor () async -> [UInt8]) async -> [UInt8] {
        await station.questions.pass(answer)
    }

    private func outbox(
        _ request: StationRequest, _ client: ClientConnection
    ) async throws(RequestError) -> [UInt8] {
        let outbox = station.outbox
        switch request.method {
        case "outbox.list":
            let parameters = try request.parameters(JobsParameters.self)
            return try await station.questions.pass { () async throws(RequestError) -> [UInt8] in
                StationLine.reply(request.id, try await outbox.list(parameters))
            }
        case "outbox.get":
            let parameters = try request.parameters(JobParameters.self)
            return try await station.questions.pass { () async throws(RequestError) -> [UInt8] in
                StationLine.reply(request.id, try await outbox.get(parameters))
            }
        case "outbox.retry":
            return StationLine.reply(request.id, try await decide(.retry, request, client))
        case "outbox.discard":
            return StationLine.reply(request.id, try await decide(.discard, request, client))
        default: throw .unknownMethod(request.method)
        }
    }

    private func decide(
        _ decision: JobDecision, _ request: StationRequest, _ client: ClientConnection
    ) async throws(RequestError) -> JobsResult {
        try mayAct(client)
        let parameters = try request.parameters(DecisionParameters.self)
        return try await station.outbox.decide(decision, parameters, by: origin(of: client))
    }

    private func origin(of client: ClientConnection) -> JobOrigin {
        JobOrigin(uid: client.peer?.uid, user: client.peer?.user, pid: client.peer?.pid)
    }

    private func submit(
        _ request: StationRequest, _ client: ClientConnection
    ) async throws(RequestError) -> SubmitResult {
        try mayAct(client)
        let parameters = try request.parameters(SubmitParameters.self)
        if let refusal = await station.refusalOfWork() { throw .station(.full, refusal) }
        let (result, fate) = await station.pipeline.submit(
            parameters.url, origin: origin(of: client))
        if case .refused(let error) = fate {
            throw .station(.full, "the scan can't be stored: \(error)")
        }
        return result
    }

    func mayAct(_ client: ClientConnection) throws(RequestError) {
        guard !client.permissions.mayAct else { return }
        let group = station.controlGroupName
        throw .station(
            .notAllowed, "only root, the station's own user and members of the group \(group) may")
    }
}
