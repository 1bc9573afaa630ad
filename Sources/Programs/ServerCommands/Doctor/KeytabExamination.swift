import CommandOutput
import Foundation
import Ground
import KerberosTickets
import ServerHTTP

/// Checks the keytab with which the server takes tickets of Kerberos, if it has one.
struct KeytabExamination {
    let server: ServerConfiguration

    private static let check = "keytab"

    func findings() -> [Finding] {
        guard let path = server.kerberos?.keytab else { return [] }
        let keys: [KeytabKey]
        do {
            keys = try KeytabKey.list(in: path, of: WebOrigin(of: server.baseURL)?.host ?? server.host)
        } catch {
            return [.problem(Self.check, "\(error)", remedy: "Correct it: the server does not start like this.")]
        }
        return [weakness(of: keys, in: path), permissions(of: path)]
    }

    private func weakness(of keys: [KeytabKey], in path: String) -> Finding {
        // The newest key of a realm is that of new tickets; older ones stay for those that were given before.
        let newest = Dictionary(grouping: keys, by: \.realm).mapValues { keys in
            keys.filter { key in key.version == keys.map(\.version).max() }
        }
        let weak = newest.filter { $0.value.allSatisfy(\.isWeak) }.keys.sorted()
        guard weak.isEmpty else {
            return .warning(
                Self.check, "The newest keys of \(weak.joined(separator: ", ")) in \(path) are all of weak types.",
                remedy: "Allow AES for the account in the domain, and make the keytab anew as docs/kerberos.md says.")
        }
        let words = newest.sorted { $0.key < $1.key }.map { realm, keys in
            "\(realm), version \(keys[0].version): \(Set(keys.map(\.type)).sorted().joined(separator: " and "))"
        }
        return .ok(Self.check, "\(path) has keys of \(words.joined(separator: "; ")).")
    }

    private func permissions(of path: String) -> Finding {
        // What is behind a link is what counts.
        let file = URL(fileURLWithPath: path).resolvingSymlinksInPath().path
        let attributes = try? FileManager.default.attributesOfItem(atPath: file)
        guard let mode = attributes?[.posixPermissions] as? NSNumber else {
            return .problem(
                Self.check, "The permissions of \(path) cannot be read.",
                remedy: "Run the doctor as the user that runs the server.")
        }
        // A group of the server's own may read it.
        guard mode.intValue & 0o027 == 0 else {
            return .problem(
                Self.check, "Other users of this machine can read or change \(path), and sign in as anybody with it.",
                remedy: "Run `chmod 600 \(file)`, and make new keys if somebody else uses the machine.")
        }
        return .ok(Self.check, "\(path) is closed to others.")
    }
}
