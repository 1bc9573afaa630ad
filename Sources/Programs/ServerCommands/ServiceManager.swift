import CSystemd
import ServiceLifecycle

/// Tells systemd that the server is ready, and as long as it serves, that it still runs: for units with `Type=notify` and
/// `WatchdogSec=`. Without systemd it says nothing, as `sd_notify(3)` finds nobody in the environment to say it to.
struct ServiceManager: Service {
    /// Called when connections are accepted.
    func tellReady() { _ = sd_notify(0, "READY=1") }

    /// Says twice in each `WatchdogSec=` that threads for tasks are free. It ends after the services that were given to the group
    /// later, so that open requests are finished under watch too.
    func run() async throws {
        var limit: UInt64 = 0
        guard sd_watchdog_enabled(0, &limit) > 0 else { return try await gracefulShutdown() }
        let pause = Duration.microseconds(limit / 2)
        await cancelWhenGracefulShutdown {
            while !Task.isCancelled {
                _ = sd_notify(0, "WATCHDOG=1")
                try? await Task.sleep(for: pause)
            }
        }
    }
}
