import Ground
import SingleSignOnWire

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

#if canImport(Glibc)
    import Glibc
#endif

/// Performs a request, and asks the person in the terminal of this program.
public struct TerminalPresenter: Sendable {
    private let openTerminal: @Sendable () -> Terminal?

    public init() { openTerminal = { Terminal("/dev/tty") } }

    init(terminal path: String) { openTerminal = { Terminal(path) } }

    /// Whether there is a terminal in which this program may ask.
    public static var isAvailable: Bool { Terminal("/dev/tty") != nil }

    /// - Parameter request: is sent with `terminal` as its presentation.
    /// - Throws: the errors of ``BrokerClient/perform(_:)``.
    public func perform(_ request: BrokerRequest, with broker: BrokerClient) async throws -> BrokerOutcome {
        var request = request
        request.presentation = .terminal
        let notice = Task {
            try await Task.sleep(for: .seconds(3))
            openTerminal()?.show(Self.words.waiting)
        }
        defer { notice.cancel() }
        // A question that is still open when the request ends is taken off the terminal.
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

    /// - Returns: what to tell the broker; nil for nothing.
    private func answer(_ presenting: BrokerEvent.Presenting) async -> PresentationResult? {
        guard let terminal = openTerminal() else {
            return .unavailable(AuthorizationFailure(.notInteractive, "There is no terminal."))
        }
        if let form = presenting.form { return await terminal.ask(form, asker: Self.asker(of: presenting)) }
        guard let page = presenting.page else { return nil }
        // Nothing is reported to the broker: the page leads the browser back to the broker itself.
        terminal.show(Self.words.goOn(at: page.inOneLine()))
        if ["DISPLAY", "WAYLAND_DISPLAY"].contains(where: { ProcessInfo.processInfo.environment[$0] != nil }) {
            Self.open(page)
        }
        return nil
    }
}

extension TerminalPresenter {
    private static var words: TerminalWords { TerminalWords(ProcessInfo.processInfo.environment) }

    /// The extension and organization that ask: a person has to know who gets the password.
    private static func asker(of presenting: BrokerEvent.Presenting) -> String? {
        presenting.extensionName.map { name in
            words.askedBy(name, of: presenting.organization)
        }
    }

    /// Opens the page in the desktop's browser, if there is one.
    private static func open(_ page: String) {
        guard let url = URL(string: page), WebOrigin(of: url) != nil else { return }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        for descriptor: Int32 in 0...2 {
            posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", O_RDWR, 0)
        }
        // In a process group of its own, so that Ctrl-C in this terminal does not end the browser.
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETPGROUP))
        let program = "/usr/bin/xdg-open"
        let words: [UnsafeMutablePointer<CChar>?] = [strdup(program), strdup(url.absoluteString), nil]
        defer { for word in words { free(word) } }
        var child: pid_t = 0
        guard posix_spawn(&child, program, &actions, &attributes, words, environ) == 0 else { return }
        let started = child
        // Wait for its end, so that it does not stay as a zombie.
        BlockingThread.start { while waitpid(started, nil, 0) < 0, errno == EINTR {} }
    }
}
