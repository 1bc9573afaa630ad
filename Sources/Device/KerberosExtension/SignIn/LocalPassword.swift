import CLinux
import ExtensionVault
import Ground

#if canImport(Glibc)
    import Glibc
#endif

/// The password of the person's account on this computer. A small program that runs as root changes it:
/// docs/decisions/0067-the-password-of-this-computer.md.
enum LocalPassword {
    enum Outcome: Equatable, Sendable {
        /// It is the new one now, or was before.
        case isSet
        /// The account has another password than the one that was said to be current.
        case wrongPassword
        /// The account comes from a domain, which has its password, or nobody can sign in to it with one.
        case isNotLocal
        /// The administrator of the computer has not let the program run as root, or it is not installed.
        case isNotAllowed
        /// The new one has more bytes than PAM takes.
        case isTooLong
        /// The time was over in the middle of the change.
        case isUnknown
        /// In the words of PAM or one of its modules, which are in English.
        case refused(String)
        case failed(String)
    }

    private static let program = "lanyard-local-password"
    /// As the program's source has it.
    private static let bytesMax = 511

    /// Blocks. Where both passwords are the same, it only finds out whether that is the account's.
    /// - Parameter limit: how long it may take. PAM waits for two or three seconds after a wrong password.
    static func set(from old: Password, to new: Password, within limit: Duration) -> Outcome {
        guard old.length <= bytesMax else { return .wrongPassword }
        guard new.length <= bytesMax else { return .isTooLong }
        guard let path = InstalledFile.path(program, X_OK) else { return .isNotAllowed }
        var sockets: [Int32] = [-1, -1]
        guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &sockets) == 0 else {
            return .failed(String(cString: strerror(errno)))
        }
        let own = sockets[0]
        defer { close(own) }
        var process: pid_t = 0
        let status: Int32
        do {
            defer { close(sockets[1]) }
            let arguments = [strdup(program), nil]
            defer { free(arguments[0]) }
            let variables: [UnsafeMutablePointer<CChar>?] = [nil]
            let descriptors = [sockets[1], sockets[1], sockets[1]]
            status = lanyard_spawn(&process, path, arguments, variables, descriptors, Int32(descriptors.count))
        }
        guard status == 0 else { return .failed(String(cString: strerror(status))) }
        for password in [old, new] {
            password.withCString { _ = send(own, $0, strlen($0) + 1, Int32(MSG_NOSIGNAL)) }
        }
        shutdown(own, Int32(SHUT_WR))
        if let said = words(from: own, within: limit) {
            var ended: Int32 = 0
            var waited: pid_t
            repeat { waited = waitpid(process, &ended, 0) } while waited < 0 && errno == EINTR
            guard waited == process else { return .failed(String(cString: strerror(errno))) }
            guard ended & 0x7F == 0 else { return .failed(String(cString: strsignal(ended & 0x7F))) }
            // Libraries may have written something before.
            let line = said.split(separator: UInt8(ascii: "\n")).last ?? []
            return outcome(status: ended >> 8 & 0xFF, String(decoding: line, as: UTF8.self).inOneLine())
        }
        // This ends it before the change has begun, and not in its middle. Then it goes on without anybody who waits for it.
        kill(process, SIGTERM)
        var ended: Int32 = 0
        guard words(from: own, within: .seconds(1)) != nil, waitpid(process, &ended, 0) == process,
            ended & 0x7F == SIGTERM
        else {
            writeToLog("the password of this computer: it takes too long, and may have changed")
            return .isUnknown
        }
        return .failed("it takes too long")
    }

    /// - Parameter status: of the program, as its source names them.
    private static func outcome(status: Int32, _ reason: String) -> Outcome {
        // Only the program itself says this word.
        if status == 0, reason == "changed" { return .isSet }
        writeToLog("the password of this computer: \(reason)")
        return switch status {
        case 3: .isNotAllowed
        case 4, 7: .isNotLocal
        case 5: .wrongPassword
        case 6: .refused(reason)
        default: .failed(reason)
        }
    }

    /// - Returns: what the program says until its end, the last kilobyte of it; nil if the time is over.
    private static func words(from socket: Int32, within limit: Duration) -> [UInt8]? {
        var said: [UInt8] = []
        let isWhole = ProgramAnswer.read(from: socket, within: limit) { part in
            said = Array((said + part).suffix(1024))
            return true
        }
        return isWhole ? said : nil
    }
}
