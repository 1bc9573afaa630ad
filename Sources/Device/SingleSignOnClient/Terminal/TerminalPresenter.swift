import Foundation
import Ground
import SingleSignOnWire

/// Performs a request and asks the person in this program's terminal.
public struct TerminalPresenter: Sendable {
    private let openTerminal: @Sendable () -> Terminal?

    public init() { openTerminal = { Terminal("/dev/tty") } }

    init(terminal path: String) { openTerminal = { Terminal(path) } }

    /// Whether there is a terminal in which this program may ask.
    public static var isAvailable: Bool { Terminal("/dev/tty") != nil }

    /// - Parameter request: its presentation becomes `terminal`.
    /// - Throws: as ``BrokerClient/perform(_:)``.
    public func perform(_ request: BrokerRequest, with broker: BrokerClient) async throws -> BrokerOutcome {
        var request = request
        request.presentation = .terminal
        let notice = Task {
            try await Task.sleep(for: .seconds(3))
            openTerminal()?.show(
                "Waiting for an answer. Somebody may be asked in another window already. Ctrl-C ends this.")
        }
        defer { notice.cancel() }
        // What is asked when the request ends without an answer is taken back.
        return try await withThrowingTaskGroup(of: Void.self) { asking in
            defer { asking.cancelAll() }
            for try await event in broker.events(for: request) {
                notice.cancel()
                switch event {
                case .finished(let outcome): return outcome
                case .presenting(let presenting):
                    asking.addTask {
                        guard let result = await answer(presenting) else { return }
                        try? await broker.present(id: presenting.id, result: result)
                    }
                }
            }
            try Task.checkCancellation()
            throw BrokerUnavailable(
                socketPath: broker.socketPath, reason: "it ended the connection before the answer")
        }
    }

    /// - Returns: nil if there is nothing to say to the broker.
    private func answer(_ presenting: BrokerEvent.Presenting) async -> PresentationResult? {
        guard let terminal = openTerminal() else {
            return .unavailable(AuthorizationFailure(.notInteractive, "There is no terminal."))
        }
        if let form = presenting.form { return await terminal.ask(form, asker: Self.asker(of: presenting)) }
        guard let page = presenting.page else { return nil }
        // Where the browser comes back to is the broker's.
        terminal.show("Go on in a browser on this computer: \(page.inOneLine())")
        if ["DISPLAY", "WAYLAND_DISPLAY"].contains(where: { ProcessInfo.processInfo.environment[$0] != nil }) {
            Self.open(page)
        }
        return nil
    }
}

extension TerminalPresenter {
    /// Whoever types a password has to know for whom.
    private static func asker(of presenting: BrokerEvent.Presenting) -> String? {
        presenting.extensionName.map { name in
            "Asked by \(name), the sign-on extension of \(presenting.organization ?? "this device")."
        }
    }

    /// In the desktop's browser, if it has one.
    private static func open(_ page: String) {
        guard let url = URL(string: page), WebOrigin(of: url) != nil else { return }
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/xdg-open")
        process.arguments = [url.absoluteString]
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try? process.run()
    }
}
