import Foundation
import NIOCore

/// Opens pages in the desktop's browser.
struct DesktopBrowser: Sendable {
    /// Instead of `xdg-open`, and whether there is a desktop or not.
    let command: [String]?
    let loop: any EventLoop

    /// What leads to the desktop.
    private static let variables: Set = [
        "DISPLAY", "WAYLAND_DISPLAY", "XAUTHORITY", "DBUS_SESSION_BUS_ADDRESS", "XDG_CURRENT_DESKTOP",
        "XDG_SESSION_TYPE", "DESKTOP_SESSION", "BROWSER",
    ]

    /// - Returns: false if there is none, or the task was cancelled before it was found.
    func open(_ url: String) async -> Bool {
        if let command { return Self.start(command + [url], environment: nil) }
        var environment = ProcessInfo.processInfo.environment
        if !Self.isOnDesktop(environment) {
            // This process may have begun before the desktop, which tells the session's manager of itself.
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

    /// Lines as systemd writes them for a shell. What it had to quote is left out: none of these needs it.
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
