import CSystemd

/// What the person's desktop shows beside everything else (org.freedesktop.Notifications).
enum DesktopNotice {
    /// It blocks for a second until the bus lets this program in, and for two until the desktop answers.
    /// - Returns: whether the desktop has taken it; false if there is no desktop.
    static func show(_ title: String, _ text: String) -> Bool {
        var bus: OpaquePointer?
        guard lanyard_sd_bus_open_session(&bus, 1_000_000) >= 0 else { return false }
        defer { sd_bus_flush_close_unref(bus) }
        sd_bus_set_method_call_timeout(bus, 2_000_000)
        return lanyard_sd_bus_notify(bus, "Lanyard", "dialog-password", title, text) >= 0
    }
}
