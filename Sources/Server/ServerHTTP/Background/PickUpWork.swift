import Administration
import Logging
import ServiceLifecycle

/// Reads the folders into which information systems put their files, each at its hour, until the server stops.
struct PickUpWork: Service {
    let sweep: PickUpSweep
    let interval: Duration
    let logger: Logger

    func run() async throws {
        await RepeatedWork.run(every: interval, failure: "a folder was not read", logger) { try await sweep.run() }
    }
}
