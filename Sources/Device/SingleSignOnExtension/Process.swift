#if canImport(Glibc)
    import Glibc
#endif

/// Writes to standard error, which the broker forwards to its log.
func writeToLog(_ line: String) {
    let text = line + "\n"
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
        let written = rest.withUnsafeBytes { write(STDERR_FILENO, $0.baseAddress, $0.count) }
        if written < 0, errno == EINTR { continue }
        guard written > 0 else { return }
        rest = rest.dropFirst(written)
    }
}

/// Ends the program without what its libraries do at an end. A request may still be at work on a thread of its own, and a
/// library that is taken down while it is used ends the program with a signal.
func exitProgram(_ status: Int32) -> Never {
    fflush(nil)
    _exit(status)
}

/// Starts a thread outside Swift's small cooperative pool, so that it may block.
func startThread(_ body: sending @escaping () -> Void) {
    final class Box { let body: () -> Void; init(_ body: @escaping () -> Void) { self.body = body } }
    var thread = pthread_t()
    let box = Unmanaged.passRetained(Box(body))
    let status = pthread_create(
        &thread, nil,
        { box in
            Unmanaged<Box>.fromOpaque(box!).takeRetainedValue().body()
            return nil
        }, box.toOpaque())
    precondition(status == 0, "a thread could not be started")
    pthread_detach(thread)
}
