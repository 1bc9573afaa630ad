import Ground

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

#if canImport(Glibc)
    import Glibc
#endif

/// Says hello to a native host, as a browser's extension does.
enum NativeHostProbe {
    private static let patience = Duration.seconds(10)

    /// - Returns: why it does not answer; nil if it does.
    static func hello(_ program: String) -> String? {
        guard let input = pipe() else { return String(cString: strerror(errno)) }
        guard let output = pipe() else {
            let reason = String(cString: strerror(errno))
            for end in input { close(end) }
            return reason
        }
        var child: pid_t = 0
        let status = spawn(program, input: input[0], output: output[1], &child)
        close(input[0])
        close(output[1])
        defer {
            close(input[1])
            close(output[0])
        }
        guard status == 0 else { return String(cString: strerror(status)) }
        defer {
            kill(child, SIGKILL)
            while waitpid(child, nil, 0) < 0, errno == EINTR {}
        }
        let question = Data(#"{"id":1,"type":"hello","version":\#(NativeProtocol.version)}"#.utf8)
        NativeOutput(descriptor: input[1]).write(question)
        guard let answer = frame(from: output[0]) else { return "it ends, or says nothing within \(patience)" }
        guard (try? JSONValue(reading: answer).fields)?["type"]?.text == "hello" else {
            return "it says something else than hello; the program is of another version"
        }
        return nil
    }

    /// Both ends of a pipe, the one to read from first, which the program inherits under other numbers alone.
    private static func pipe() -> [Int32]? {
        var ends = [Int32](repeating: 0, count: 2)
        guard Glibc.pipe(&ends) == 0 else { return nil }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        return ends
    }

    private static func spawn(_ program: String, input: Int32, output: Int32, _ child: inout pid_t) -> Int32 {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO)
        posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO)
        posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0)
        let words: [UnsafeMutablePointer<CChar>?] = [strdup(program), nil]
        defer { for word in words { free(word) } }
        return posix_spawn(&child, program, &actions, nil, words, environ)
    }

    /// The content of one frame; nil if the time is over, or the other side ends.
    private static func frame(from descriptor: Int32) -> Data? {
        let begun = Stopwatch()
        var bytes: [UInt8] = []
        while begun.elapsed < patience {
            if bytes.count >= 4 {
                let length = Int(bytes.prefix(4).withUnsafeBytes { $0.loadUnaligned(as: UInt32.self) })
                if bytes.count >= 4 + length { return Data(bytes[4..<4 + length]) }
            }
            var question = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            guard poll(&question, 1, 100) > 0 else { continue }
            var part = [UInt8](repeating: 0, count: 4_096)
            let count = Glibc.read(descriptor, &part, part.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return nil }
            bytes += part.prefix(count)
        }
        return nil
    }
}
