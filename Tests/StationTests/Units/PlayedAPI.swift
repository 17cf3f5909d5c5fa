import Platform
import Testing

/// The path of tags with an API that a test plays.
@LoopActor
struct PlayedAPI {
    let api: ScriptedAPI
    let bench: PipelineBench

    /// Starts the API; the bench is still to be started.
    init() throws {
        api = try ScriptedAPI()
        bench = try PipelineBench(endpoint: api.endpoint)
    }

    /// Starts delivering, and waits until the API was found to be there.
    func start() async throws {
        try bench.start()
        let isOnline = await eventually { [bench] in bench.apiStory == ["api online"] }
        #expect(isOnline)
    }

    func end() async {
        await bench.stop()
        api.stop()
    }

    /// Answers the request with which a scan is delivered, once it has come.
    func answer(_ scan: String, _ reply: ScriptedAPI.Reply) async throws {
        let request = try #require(await api.request(of: scan))
        api.answer(request, reply)
    }
}
