internal import LineProtocols
internal import Scanning
internal import Storage

/// A scan that a person must look at: it was refused for good, or fails again and again.
struct Attention {
    let row: DeliveryRow
    /// The API's word for it, or the station's own.
    let code: String
    /// A sentence for the job's record; the API's own may repeat what was sent.
    let message: String

    /// What becomes of the delivery.
    var outcome: DeliveryOutcome {
        .attention(id: row.delivery.id, error: message, code: code)
    }

    /// The job as it is published.
    var event: JobEvent {
        let origin = try? JSONLine.decode(JobOrigin.self, from: row.delivery.origin)
        return JobEvent(
            job: JobEvent.Job(
                id: row.delivery.id, kind: "scan", state: "attention",
                attempts: row.failures.attempts + 1, by: origin ?? JobOrigin(),
                error: "\(code): \(message)", scan: row.delivery.id))
    }
}
