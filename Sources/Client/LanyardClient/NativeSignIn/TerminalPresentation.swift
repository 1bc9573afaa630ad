import Foundation
import Synchronization

/// Opens the system's browser, and writes to standard error where to go otherwise.
public struct TerminalPresentation: SignInPresentation {
    private let environment: [String: String]
    private let write: @Sendable (String) -> Void

    /// How long a command that opens a browser may take to fail. If it still runs after that, it is the browser itself.
    private static let patience = Duration.seconds(2)

    /// - Parameters:
    ///   - environment: `BROWSER` lists commands that open an address, as in `firefox:w3m %s`. Without it `xdg-open` is
    ///     used if there is a desktop.
    ///   - write: shows text to the person.
    public init(
        environment: [String: String] = ProcessInfo.processInfo.environment,
        write: @escaping @Sendable (String) -> Void = { FileHandle.standardError.write(Data($0.utf8)) }
    ) {
        self.environment = environment
        self.write = write
    }

    public func open(_ url: String) async -> Bool {
        for command in commands(for: url) where await run(command) {
            write("Sign in with the browser window that has opened. If there is none, go to\n\n  \(url)\n\n")
            return true
        }
        return false
    }

    public func show(_ device: DeviceAuthorization) async {
        var text = "To sign in, go to\n\n  \(device.verificationURI)\n\nwith any device and type the code\n\n"
        text += "  \(device.userCode)\n\n"
        if let complete = device.verificationURIComplete {
            text += "or follow this link:\n\n  \(complete)\n\n"
        }
        write(text)
    }

    /// The commands as argument lists, in the order in which to try them. The address never passes through a shell.
    func commands(for url: String) -> [[String]] {
        if let browsers = environment["BROWSER"], !browsers.isEmpty {
            return browsers.split(separator: ":").map { browser in
                let words = browser.split(separator: " ").map(String.init)
                guard words.contains(where: { $0.contains("%s") }) else { return words + [url] }
                return words.map { $0.replacing("%s", with: url) }
            }
        }
        #if os(macOS)
            return [["open", url]]
        #else
            let isDesktop = ["DISPLAY", "WAYLAND_DISPLAY"].contains { environment[$0]?.isEmpty == false }
            return isDesktop ? [["xdg-open", url]] : []
        #endif
    }

    /// Whether the command could be started and did not fail soon.
    private func run(_ command: [String]) async -> Bool {
        guard let name = command.first, let executable = executable(name) else { return false }
        let process = Process()
        process.executableURL = executable
        process.arguments = Array(command.dropFirst())
        process.environment = environment
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        let (ends, continuation) = AsyncStream.makeStream(of: Bool.self)
        process.terminationHandler = {
            continuation.yield($0.terminationStatus == 0)
            continuation.finish()
        }
        guard (try? process.run()) != nil else { return false }
        return await withTaskGroup(of: Bool.self) { group in
            group.addTask { await ends.first { _ in true } ?? true }
            group.addTask {
                try? await Task.sleep(for: Self.patience)
                return true
            }
            defer { group.cancelAll() }
            return await group.next() ?? true
        }
    }

    private func executable(_ name: String) -> URL? {
        let folders = name.contains("/") ? [""] : (environment["PATH"] ?? "").split(separator: ":").map { $0 + "/" }
        return folders.map { $0 + name }.first { FileManager.default.isExecutableFile(atPath: $0) }
            .map { URL(fileURLWithPath: $0) }
    }
}
