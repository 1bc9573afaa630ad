import CSystemd
import Ground
import NIOCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Asks systemd-logind whether the user's screen is locked. Without logind it counts as not locked.
/// docs/specifications/extensible-single-sign-on.md, 19.8.
actor ScreenLock {
    private nonisolated let loop: any EventLoop
    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.executor.asUnownedSerialExecutor() }

    /// The time limit for an answer of logind, because requests wait for it. After it the screen counts as not locked.
    private static let patience = TimeAmount.milliseconds(250)
    private var isAsking = false
    private var waiting: [CheckedContinuation<Bool, Never>] = []

    init(on loop: any EventLoop) {
        self.loop = loop
    }

    func isLocked() async -> Bool {
        // The last question has passed its time limit and is still not answered, so another one would not be either.
        if isAsking, waiting.isEmpty { return false }
        return await withCheckedContinuation { continuation in
            waiting.append(continuation)
            if !isAsking { ask() }
        }
    }

    private func ask() {
        isAsking = true
        let loop = loop
        let limit = loop.scheduleTask(in: Self.patience) { self.assumeIsolated { $0.answer(false) } }
        // Asking the bus blocks, so it has a thread of its own.
        BlockingThread.start {
            let isLocked = Self.askBus()
            loop.execute {
                limit.cancel()
                self.assumeIsolated {
                    $0.isAsking = false
                    $0.answer(isLocked)
                }
            }
        }
    }

    private func answer(_ isLocked: Bool) {
        let all = waiting
        waiting = []
        for continuation in all { continuation.resume(returning: isLocked) }
    }

    private static func askBus() -> Bool {
        var bus: OpaquePointer?
        guard sd_bus_open_system(&bus) >= 0 else { return false }
        defer { sd_bus_flush_close_unref(bus) }
        sd_bus_set_method_call_timeout(bus, 250_000)
        var isLocked: Int32 = 0
        // `auto` is the session of this process or, if it has none, the one on the user's display.
        let status = lanyard_sd_bus_get_boolean(
            bus, "org.freedesktop.login1", "/org/freedesktop/login1/session/auto", "org.freedesktop.login1.Session",
            "LockedHint", &isLocked)
        return status >= 0 && isLocked != 0
    }
}
