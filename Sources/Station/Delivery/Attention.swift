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
    func outcome(at moment: Moment) -> DeliveryOutcome {
        .attention(id: row.delivery.id, error: message, code: code, moment: moment)
    }

    /// The job as it is published.
    var event: JobEvent {
        var job = Job(
            id: row.delivery.id, kind: "scan", state: .attention,
            attempts: row.failures.attempts + 1,
            by: JobReport.origin(row.delivery.origin, scan: row.delivery.id),
            error: "\(code): \(message)", scan: row.delivery.id)
        job.at = row.delivery.moment.at
        return JobEvent(job: job, reader: try? ScanDelivery(row).reader)
    }
}
