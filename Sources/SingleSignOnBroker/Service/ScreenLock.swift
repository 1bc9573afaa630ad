import CSystemd

/// Whether the user's screen is locked, by the session manager. Without one it is not. extensible-sso.md section 8.20.
enum ScreenLock {
    static func isLocked() -> Bool {
        var bus: OpaquePointer?
        guard sd_bus_open_system(&bus) >= 0 else { return false }
        defer { sd_bus_flush_close_unref(bus) }
        // A service that hangs must not keep a request waiting.
        sd_bus_set_method_call_timeout(bus, 250_000)
        var isLocked: Int32 = 0
        // The session of the process, or else the one on the user's display.
        let status = lanyard_sd_bus_get_boolean(
            bus, "org.freedesktop.login1", "/org/freedesktop/login1/session/auto", "org.freedesktop.login1.Session",
            "LockedHint", &isLocked)
        return status >= 0 && isLocked != 0
    }
}
