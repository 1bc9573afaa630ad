import CKerberos
import Foundation

/// A key of the server in a keytab file, without its secret.
package struct KeytabKey: Hashable, Sendable {
    /// Whose tickets it opens, such as `MAPLE.EXAMPLE`.
    package let realm: String
    /// The number of the key, which rises when it is made anew.
    package let version: Int
    /// As RFC 3961 and its successors call it, such as `aes256-cts-hmac-sha1-96`.
    package let type: String
    /// Whether it is DES, Triple DES or RC4, which RFC 6649 and RFC 8429 deprecate.
    package let isWeak: Bool

    /// The keys of `HTTP/host` in a file, in its order.
    /// - Parameter host: of the base URL.
    /// - Throws: ``TicketAcceptor/Problem``
    package static func list(in path: String, of host: String) throws -> [KeytabKey] {
        do {
            let context = try Keytab.newContext()
            defer { krb5_free_context(context) }
            var keys: [KeytabKey] = []
            try Keytab.forEach(in: path, of: host.lowercased(), context) { entry in
                keys.append(KeytabKey(entry))
            }
            return keys
        } catch let problem as Keytab.Problem {
            throw TicketAcceptor.Problem(path: path, problem)
        }
    }

    private init(_ entry: krb5_keytab_entry) {
        let realm = entry.principal.pointee.realm
        self.realm = String(
            decoding: UnsafeRawBufferPointer(start: realm.data, count: Int(realm.length)), as: UTF8.self)
        version = Int(entry.vno)
        let number = Int(entry.key.enctype)
        type = Self.names[number] ?? "type \(number)"
        isWeak = Self.weakTypes.contains(number)
    }

    /// The types that are in use, by their numbers at the IANA; the library's own names are in a part of it that is not linked.
    private static let names = [
        16: "des3-cbc-sha1", 17: "aes128-cts-hmac-sha1-96", 18: "aes256-cts-hmac-sha1-96",
        19: "aes128-cts-hmac-sha256-128", 20: "aes256-cts-hmac-sha384-192", 23: "rc4-hmac",
        25: "camellia128-cts-cmac", 26: "camellia256-cts-cmac",
    ]

    /// Those of DES, of Triple DES and of RC4.
    private static let weakTypes: Set = [1, 2, 3, 5, 16, 23, 24]
}
