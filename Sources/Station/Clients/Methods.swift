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
            return StationLine.reply(request.id, client.subscribe(parameters))
        case "unsubscribe":
            client.unsubscribe()
            return StationLine.reply(request.id, EmptyObject())
        case "status":
            return StationLine.reply(request.id, await station.status())
        case "scan.submit":
            return StationLine.reply(request.id, try await submit(request, client))
        default: throw .unknownMethod(request.method)
        }
    }

    private func submit(
        _ request: StationRequest, _ client: ClientConnection
    ) async throws(RequestError) -> SubmitResult {
        try mayAct(client)
        let parameters = try request.parameters(SubmitParameters.self)
        if let refusal = await station.refusalOfWork() { throw .station(.full, refusal) }
        let origin = JobOrigin(
            uid: client.peer?.uid, user: client.peer?.user, pid: client.peer?.pid)
        let (result, fate) = await station.pipeline.submit(parameters.url, origin: origin)
        if case .refused(let error) = fate {
            throw .station(.full, "the scan can't be stored: \(error)")
        }
        return result
    }

    private func mayAct(_ client: ClientConnection) throws(RequestError) {
        guard !client.permissions.mayAct else { return }
        let group = station.controlGroupName
        throw .station(
            .notAllowed, "only root, the station's own user and members of the group \(group) may")
    }
}
