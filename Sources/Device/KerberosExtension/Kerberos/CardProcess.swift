import CKerberos
import CLinux
import ExtensionVault
import Ground

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif
#if canImport(Glibc)
    import Glibc
#endif

/// Work with a smart card in a process of its own: the library that speaks with cards is another company's, and if it crashes
/// or hangs, the extension goes on.
///
/// The process is this program once more, with one argument. It reads the task from descriptor 3, as JSON, and writes what came
/// of it there. The library's own words go to the log. Before that it writes a byte for each message that goes to a KDC, and one for
/// each answer: so it is known whom it waits for when it takes too long.
enum CardProcess {
    static let argument = "--smart-card"

    /// How a certificate on a card is named begins like this.
    static func isNeeded(for identity: String) -> Bool { identity.hasPrefix("PKCS11:") && !isOne.value }

    /// Set before there are threads.
    private final class Flag: Sendable {
        nonisolated(unsafe) fileprivate(set) var value = false
    }
    private static let isOne = Flag()

    struct Work: Codable, Sendable {
        let principal: String
        let identity: String
        /// nil to look at the card alone.
        let pin: String?
        /// nil to look at the card alone.
        let caches: TicketCaches?
        /// The process that waits for the answer.
        var asker = getpid()
    }

    struct Outcome: Codable, Sendable {
        struct Refusal: Codable, Sendable {
            let kind: KerberosFailure.Kind
            let code: Int32
            let message: String
            let skew: Int64?
        }
        var ticket: Ticket?
        var passwordExpires: Date?
        var card: Kerberos.CardState?
        var refusal: Refusal?
    }

    /// What the process writes while it works. None of them begins an ``Outcome``.
    private enum Step {
        static let asksKDC = UInt8(ascii: "?")
        static let hasHeard = UInt8(ascii: "!")
    }

    // MARK: The extension's side

    /// Cards answer within seconds. The broker ends a request that says nothing for a minute, and between two forms up to three
    /// such processes run one after the other: so the person is told what has failed before the broker gives up, unless somebody
    /// else signs in to the realm just then.
    private static let limit = Duration.seconds(18)

    static func acquire(
        _ principal: String, _ identity: String, PIN pin: Password?, in caches: TicketCaches
    ) throws -> Kerberos.NewTicket {
        let pin = pin?.withCString { String(cString: $0) }
        let outcome = try run(Work(principal: principal, identity: identity, pin: pin, caches: caches))
        guard let ticket = outcome.ticket else { throw broken("it gave no answer") }
        return Kerberos.NewTicket(ticket: ticket, passwordExpires: outcome.passwordExpires)
    }

    static func card(_ identity: String, for principal: String) throws -> Kerberos.CardState {
        let outcome = try run(Work(principal: principal, identity: identity, pin: nil, caches: nil))
        guard let state = outcome.card else { throw broken("it gave no answer") }
        return state
    }

    private static func broken(_ how: String) -> KerberosFailure {
        KerberosFailure(.cardFailed, "the library for smart cards has failed: \(how)")
    }

    private static func run(_ work: Work) throws -> Outcome {
        var sockets: [Int32] = [-1, -1]
        guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &sockets) == 0 else {
            throw broken(String(cString: strerror(errno)))
        }
        let own = sockets[0]
        defer { close(own) }
        let process: pid_t
        do {
            defer { close(sockets[1]) }
            process = try start(socket: sockets[1])
        }
        let said: (bytes: [UInt8], isWhole: Bool)
        do {
            var task = [UInt8](try JSONEncoder().encode(work))
            defer { explicit_bzero(&task, task.count) }
            said = exchange(task, over: own)
        } catch {
            _ = end(process)
            throw broken("\(error)")
        }
        // What the library has started itself may be in use elsewhere, and is ended only with a library that hangs.
        if !said.isWhole { kill(-process, SIGKILL) }
        let how = end(process)
        guard said.isWhole else { throw tooLong(after: said.bytes) }
        let answer = said.bytes.drop { $0 == Step.asksKDC || $0 == Step.hasHeard }
        guard let outcome = try? JSONDecoder().decode(Outcome.self, from: Data(answer)) else { throw broken(how) }
        if let refusal = outcome.refusal {
            var failure = KerberosFailure(refusal.kind, code: refusal.code, refusal.message)
            failure.skew = refusal.skew
            throw failure
        }
        return outcome
    }

    private static func tooLong(after steps: [UInt8]) -> KerberosFailure {
        steps.last == Step.asksKDC
            ? KerberosFailure(.unreachable, "no KDC has answered in time") : broken("it took too long")
    }

    private static func start(socket: Int32) throws -> pid_t {
        let nothing = open("/dev/null", O_RDWR | O_CLOEXEC)
        guard nothing >= 0 else { throw broken(String(cString: strerror(errno))) }
        defer { close(nothing) }
        // What the library prints must not be taken for an answer.
        let descriptors = [nothing, STDERR_FILENO, STDERR_FILENO, socket]
        let variables = ProcessInfo.processInfo.environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
        let command: [String] = ["lanyard-kerberos", argument]
        let words = command.map { strdup($0) } + [nil]
        defer { for text in variables + words { free(text) } }
        var process: pid_t = 0
        // Also where the program has been replaced since it was started.
        let status = lanyard_spawn(&process, "/proc/self/exe", words, variables, descriptors, Int32(descriptors.count))
        guard status == 0 else { throw broken(String(cString: strerror(status))) }
        return process
    }

    /// - Returns: what the process has written, and whether that is all, because the time was not over before.
    private static func exchange(_ task: [UInt8], over socket: Int32) -> (bytes: [UInt8], isWhole: Bool) {
        // The task is shorter than what a socket holds. A process that has ended already is found out below.
        _ = task.withUnsafeBytes { send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
        shutdown(socket, Int32(SHUT_WR))
        var answer: [UInt8] = []
        let isWhole = ProgramAnswer.read(from: socket, within: limit) { part in
            guard answer.count < 1 << 20 else { return false }
            answer += part
            return true
        }
        return (answer, isWhole)
    }

    /// Ends the process if it has not ended: it has said everything, and a library may hang at the end as well.
    /// - Returns: how the process ended, in words.
    private static func end(_ process: pid_t) -> String {
        kill(process, SIGKILL)
        var status: Int32 = 0
        while waitpid(process, &status, 0) < 0, errno == EINTR {}
        let signal = status & 0x7F
        return signal == 0
            ? "it ended with status \(status >> 8 & 0xFF)"
            : "it was ended by signal \(signal), \(String(cString: strsignal(signal)))"
    }

    // MARK: The process's side

    /// In the process for the card, says when a KDC is asked and when it has answered.
    static func watch(_ context: krb5_context) {
        guard isOne.value else { return }
        krb5_set_kdc_send_hook(
            context,
            { _, _, _, _, _, _ in
                CardProcess.say(Step.asksKDC)
                return 0
            }, nil)
        krb5_set_kdc_recv_hook(
            context,
            { _, _, code, _, _, _, _ in
                CardProcess.say(Step.hasHeard)
                // The library takes what this returns for what has come of the message.
                return code
            }, nil)
    }

    private static func say(_ step: UInt8) {
        var step = step
        _ = send(3, &step, 1, Int32(MSG_NOSIGNAL))
    }

    /// Does the task, and writes what came of it.
    static func answer() {
        isOne.value = true
        // Nobody would read the answer, and the library may hold the card.
        lanyard_end_with_parent()
        // A program that the library starts must not keep the answer open.
        _ = fcntl(3, F_SETFD, FD_CLOEXEC)
        var task: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while case let count = read(3, &buffer, buffer.count), count > 0 { task += buffer.prefix(count) }
        guard let work = try? JSONDecoder().decode(Work.self, from: Data(task)) else {
            return writeToLog("\(argument) is for the extension's own use")
        }
        // The one that asked may have ended before this process was tied to it.
        guard getppid() == work.asker else { return }
        explicit_bzero(&task, task.count)
        explicit_bzero(&buffer, buffer.count)
        var outcome = Outcome()
        do {
            if let caches = work.caches {
                let new = try Kerberos.acquire(
                    work.principal, .certificate(work.identity, PIN: work.pin.map(Password.init)), in: caches)
                (outcome.ticket, outcome.passwordExpires) = (new.ticket, new.passwordExpires)
            } else {
                outcome.card = try Kerberos.card(work.identity, for: work.principal)
            }
        } catch let failure as KerberosFailure {
            outcome.refusal = .init(
                kind: failure.kind, code: failure.code, message: failure.message, skew: failure.skew)
        } catch {
            outcome.refusal = .init(kind: .other, code: 0, message: "\(error)", skew: nil)
        }
        guard let answer = try? JSONEncoder().encode(outcome) else { return }
        _ = answer.withUnsafeBytes { send(3, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
        // The answer is whole, whoever else has the socket. What the library wants to do at the end of a program is left out.
        shutdown(3, Int32(SHUT_WR))
        _exit(0)
    }
}
