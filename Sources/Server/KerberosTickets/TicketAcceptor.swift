import CKerberos
import Foundation
import Ground
import Synchronization

/// Checks tickets of Kerberos that browsers send in SPNEGO messages (RFC 4559, RFC 4178), with the keys of a keytab.
///
/// A sign-in is one message of the browser and one reply. What needs more of them is refused: between two requests of HTTP
/// nothing would say that both come from the same browser, and every browser that has a ticket sends it first.
///
/// Nothing that a browser delegates is taken. The library's own memory of tickets, a file of this machine, is off: it would
/// know nothing of what another node has seen. Callers note ``AcceptedTicket/use`` where all nodes see it.
package final class TicketAcceptor: Sendable {
    /// Active Directory makes tickets of up to 48 kB unless it is told otherwise.
    package static let bytesMax = 64 * 1_024
    /// How long a header with the largest ticket is: base64 has four characters for three bytes.
    package static let headerMax = (bytesMax + 2) / 3 * 4 + "Negotiate ".utf8.count

    /// Whose tickets are taken, such as `HTTP/id.maple.example`.
    package var service: String { "HTTP/\(host)" }

    private let path: String
    private let host: String
    private let queue: BlockingQueue
    private let state: Mutex<State>

    private struct State {
        var credentials: Credentials
        var stamp: Stamp?
    }

    /// By which a keytab file is recognized.
    private struct Stamp: Equatable {
        let modifiedAt: Date?
        let size: Int?
        let file: Int?

        init?(of path: String) {
            guard let attributes = try? FileManager.default.attributesOfItem(atPath: path) else { return nil }
            modifiedAt = attributes[.modificationDate] as? Date
            size = attributes[.size] as? Int
            file = attributes[.systemFileNumber] as? Int
        }
    }

    /// - Parameters:
    ///   - path: of a keytab file with a key of `HTTP/host`. When the file changes, the new keys are taken.
    ///   - host: the host by which browsers know the server, whatever requests say of it.
    /// - Throws: ``Problem``
    package init(keytab path: String, host: String) throws {
        self.path = path
        self.host = host.lowercased()
        queue = BlockingQueue(width: 4)
        let stamp = Stamp(of: path)
        do {
            state = Mutex(State(credentials: try Credentials(path: path, host: self.host), stamp: stamp))
        } catch let problem as Keytab.Problem {
            throw Problem(path: path, problem)
        }
    }

    /// A keytab that cannot be used; the server does not start with it.
    package struct Problem: Error, Equatable, CustomStringConvertible {
        package let description: String

        init(path: String, _ problem: Keytab.Problem) {
            description =
                switch problem {
                case .missing:
                    "There is no keytab \(path). Make one as docs/kerberos.md says, or take the setting kerberos.keytab away."
                case .unreadable(let reason):
                    "The keytab \(path) cannot be read: \(reason). Let the server's user read it, and make it anew if it is damaged."
                case .noKey(let service, let found):
                    """
                    The keytab \(path) has no key of \(service), by which browsers know this server\
                    \(found.isEmpty ? "" : "; it has keys of \(found.prefix(5).joined(separator: ", "))"). Add one, or \
                    correct the base URL.
                    """
                }
        }
    }

    /// - Parameter text: what stands after `Negotiate` in the header, in base64.
    /// - Throws: ``TicketRefusal``
    package func accept(_ text: String) async throws -> AcceptedTicket {
        guard text.utf8.count <= Self.headerMax else { throw TicketRefusal.tooLong }
        guard let token = Data(base64Encoded: text), !token.isEmpty else { throw TicketRefusal.malformed }
        guard token.count <= Self.bytesMax else { throw TicketRefusal.tooLong }
        guard !token.starts(with: Self.ntlmMark) else { throw TicketRefusal.ntlm }
        return try await queue.run { [self] in try credentials().accept(token) }
    }

    private static let ntlmMark = Data("NTLMSSP\u{0}".utf8)

    /// The keys of the file as it is now. While it cannot be used, those that were read before are kept.
    private func credentials() -> Credentials {
        let stamp = Stamp(of: path)
        return state.withLock { state in
            if let stamp, stamp != state.stamp, let renewed = try? Credentials(path: path, host: host) {
                state = State(credentials: renewed, stamp: stamp)
            }
            return state.credentials
        }
    }
}
