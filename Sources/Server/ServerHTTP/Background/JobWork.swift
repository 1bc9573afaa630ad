import Administration
import Logging
import ServiceLifecycle

/// Carries out the changes that take longer than a request may, until the server stops.
struct JobWork: Service {
    let worker: JobWorker
    let interval: Duration
    let logger: Logger

    func run() async throws {
        await RepeatedWork.run(every: interval, failure: "a job was not carried out", logger) {
            try await worker.work()
        }
    }
}
