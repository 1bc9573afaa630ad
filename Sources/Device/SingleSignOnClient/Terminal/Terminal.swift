import Dispatch
import Ground
import SingleSignOnWire
import Synchronization

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

#if canImport(Glibc)
    import Glibc
#endif

/// A terminal in which a form is asked line by line. Passwords are not shown while they are typed, and the terminal's
/// settings are restored however the question ends, also by a signal.
final class Terminal: Sendable {
    private let descriptor: Int32

    init?(_ path: String) {
        descriptor = open(path, O_RDWR | O_NOCTTY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        // From here on deinit closes the descriptor.
        guard isatty(descriptor) == 1 else { return nil }
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    func show(_ line: String) { write(line + "\n") }

    /// Asks field by field.
    /// - Parameter asker: a sentence that says who is asking.
    /// - Returns: ``PresentationResult/canceled`` after Ctrl-C or Ctrl-D; nil if the task is canceled.
    func ask(_ form: PresentationForm, asker: String?) async -> PresentationResult? {
        let wake = WakePipe()
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                // A person may take minutes: block a thread of our own and not one of Swift's few.
                BlockingThread.start { continuation.resume(returning: self.askNow(form, asker, wake)) }
            }
        } onCancel: {
            wake.wake(0)
        }
    }

    private func askNow(_ form: PresentationForm, _ asker: String?, _ wake: WakePipe) -> PresentationResult? {
        var lines = ["", form.title.inOneLine()]
        if let asker { lines.append(asker.inOneLine()) }
        if let text = form.text { lines.append(text.inOneLine()) }
        if let problem = form.problem { lines.append("! \(problem.inOneLine())") }
        show(lines.joined(separator: "\n"))
        let (result, signal) = wake.whileCatchingSignals { askFields(form, wake) }
        // The settings are restored: now the signal may end the program as it was meant to.
        if let signal, signal != SIGINT { kill(getpid(), signal) }
        return result
    }

    /// - Returns: the answer, or the signal that ended the question; both nil if the task was canceled.
    private func askFields(_ form: PresentationForm, _ wake: WakePipe) -> (PresentationResult?, signal: Int32?) {
        var values: [String: String] = [:]
        if form.fields.isEmpty { write("\(form.submit.inOneLine()) (Enter) ") }
        let confirmation = form.fields.isEmpty ? [PresentationForm.Field("", label: "")] : []
        for field in form.fields + confirmation {
            let line: String
            switch field.name.isEmpty ? readLine("", wake) : ask(field, wake) {
            case .line(let text): line = text
            case .endOfInput, .signal(SIGINT):
                show("")
                return (.canceled, nil)
            case .signal(let signal):
                show("")
                return (nil, signal == 0 ? nil : signal)
            }
            switch field.kind {
            case .checkbox where !Self.isYes(line, or: field.value == "true"): continue
            case .checkbox: values[field.name] = "true"
            case .text, .oneTimeCode: values[field.name] = line.isEmpty ? field.value ?? "" : line
            case .password: values[field.name] = line
            }
        }
        values[""] = nil
        return (.submitted(values), nil)
    }

    private static func isYes(_ line: String, or preset: Bool) -> Bool {
        line.isEmpty ? preset : ["y", "yes"].contains(line.lowercased())
    }

    enum Line { case line(String), endOfInput, signal(Int32) }

    private func ask(_ field: PresentationForm.Field, _ wake: WakePipe) -> Line {
        let label = field.label.inOneLine()
        let prompt =
            switch field.kind {
            case .checkbox: "\(label) [\(field.value == "true" ? "Y/n" : "y/N")]: "
            case .text, .oneTimeCode:
                (field.value ?? "").isEmpty ? "\(label): " : "\(label) [\((field.value ?? "").inOneLine())]: "
            case .password: "\(label): "
            }
        return field.kind == .password ? hidingInput { readLine(prompt, wake) } : readLine(prompt, wake)
    }

    private func hidingInput(_ body: () -> Line) -> Line {
        var before = termios()
        guard tcgetattr(descriptor, &before) == 0 else { return .endOfInput }
        var hidden = before
        hidden.c_lflag &= ~tcflag_t(ECHO)
        // Without the echo, the line break of the Enter key would not be shown either.
        hidden.c_lflag |= tcflag_t(ECHONL)
        tcsetattr(descriptor, TCSAFLUSH, &hidden)
        defer { tcsetattr(descriptor, TCSAFLUSH, &before) }
        return body()
    }

    /// Reads a line that the terminal has edited, or says what ended the wait for it.
    private func readLine(_ prompt: String, _ wake: WakePipe) -> Line {
        write(prompt)
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 4096)
        while true {
            var questions = [
                pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0),
                pollfd(fd: wake.readEnd, events: Int16(POLLIN), revents: 0),
            ]
            if poll(&questions, 2, -1) < 0 {
                if errno == EINTR { continue }
                return .endOfInput
            }
            if questions[1].revents != 0 { return .signal(wake.take()) }
            let count = read(descriptor, &chunk, chunk.count)
            if count < 0, errno == EINTR || errno == EAGAIN { continue }
            guard count > 0 else { return .endOfInput }
            bytes += chunk[..<count]
            if let end = bytes.firstIndex(where: { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") }) {
                return .line(String(decoding: bytes[..<end], as: UTF8.self))
            }
            guard bytes.count < 64 << 10 else { return .endOfInput }
        }
    }

    private func write(_ text: String) {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return }
            rest = rest.dropFirst(count)
        }
    }
}

/// Wakes a thread that waits for input from a terminal, from another thread or from a signal handler.
///
/// Signals that would end the program are caught while a question is shown, so that the settings of the terminal can be
/// restored first. All but Ctrl-C are then sent again.
final class WakePipe: Sendable {
    let readEnd: Int32
    private let writeEnd: Int32
    private static let signals = [SIGINT, SIGTERM, SIGHUP, SIGQUIT]
    /// The descriptor to which the signal handler writes. Only one question is asked at a time, so there is only one.
    private static let current = Atomic<Int32>(-1)
    private static let asking = DispatchSemaphore(value: 1)

    init() {
        var ends: [Int32] = [-1, -1]
        // If there is no pipe, poll ignores the -1, and only Ctrl-D ends a question.
        _ = pipe(&ends)
        for end in ends {
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
            _ = fcntl(end, F_SETFL, O_NONBLOCK)
        }
        (readEnd, writeEnd) = (ends[0], ends[1])
    }

    deinit {
        close(readEnd)
        close(writeEnd)
    }

    func wake(_ signal: Int32) {
        var byte = UInt8(truncatingIfNeeded: signal)
        _ = write(writeEnd, &byte, 1)
    }

    /// The number of the signal that woke the thread; 0 if there was none.
    func take() -> Int32 {
        var byte: UInt8 = 0
        return read(readEnd, &byte, 1) == 1 ? Int32(byte) : 0
    }

    func whileCatchingSignals<Value>(_ body: () -> Value) -> Value {
        Self.asking.wait()
        defer { Self.asking.signal() }
        Self.current.store(writeEnd, ordering: .sequentiallyConsistent)
        var before: [(Int32, sigaction)] = []
        for signal in Self.signals {
            var action = sigaction()
            action.__sigaction_handler.sa_handler = { signal in
                var byte = UInt8(truncatingIfNeeded: signal)
                let saved = errno
                _ = write(WakePipe.current.load(ordering: .relaxed), &byte, 1)
                errno = saved
            }
            var old = sigaction()
            sigaction(signal, &action, &old)
            before.append((signal, old))
        }
        let result = body()
        for (signal, var old) in before { sigaction(signal, &old, nil) }
        Self.current.store(-1, ordering: .sequentiallyConsistent)
        return result
    }
}
