import NIOCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

#if canImport(Glibc)
    import Glibc
#endif

/// Opens pages in the desktop's browser.
struct DesktopBrowser: Sendable {
    /// Runs in place of `xdg-open`, also without a desktop. The URL is its last argument.
    let command: [String]?
    let loop: any EventLoop

    /// The variables by which a program finds the desktop.
    private static let variables: Set = [
        "DISPLAY", "WAYLAND_DISPLAY", "XAUTHORITY", "DBUS_SESSION_BUS_ADDRESS", "XDG_CURRENT_DESKTOP",
        "XDG_SESSION_TYPE", "DESKTOP_SESSION", "BROWSER",
    ]

    /// Opens a page.
    /// - Returns: false if there is no desktop or no program to open it with, or if the task was canceled before.
    func open(_ url: String) async -> Bool {
        if let command { return Self.start(command + [url], environment: nil) }
        var environment = ProcessInfo.processInfo.environment
        if !Self.isOnDesktop(environment) {
            // The broker may have started before the desktop. The desktop passes its variables to systemd.
            environment.merge(await sessionEnvironment()) { $1 }
        }
        return Self.isOnDesktop(environment) && Self.start(["/usr/bin/xdg-open", url], environment: environment)
    }

    private static func isOnDesktop(_ environment: [String: String]) -> Bool {
        ["DISPLAY", "WAYLAND_DISPLAY"].contains { environment[$0]?.isEmpty == false }
    }

    private func sessionEnvironment() async -> [String: String] {
        let command = ["/usr/bin/systemctl", "--user", "show-environment"]
        let output = try? await ChildProgram.output(of: command, on: loop, within: .seconds(2))
        guard let output else { return [:] }
        return Self.environment(in: String(decoding: output, as: UTF8.self))
    }

    /// Reads the output of `systemctl show-environment`. Values that are quoted for a shell are left out, because the
    /// variables of the desktop never need quoting.
    static func environment(in text: String) -> [String: String] {
        let pairs = text.split(separator: "\n").compactMap { line -> (String, String)? in
            let parts = line.split(separator: "=", maxSplits: 1)
            guard parts.count == 2, variables.contains(String(parts[0])), !parts[1].hasPrefix("$'") else { return nil }
            return (String(parts[0]), String(parts[1]))
        }
        return Dictionary(pairs) { $1 }
    }

    private static func start(_ command: [String], environment: [String: String]?) -> Bool {
        guard
            !Task.isCancelled,
            let started = try? ChildProgram.spawn(command[0], Array(command.dropFirst()), environment: environment)
        else { return false }
        ChildProgram.reap(started)
        return true
    }
}
