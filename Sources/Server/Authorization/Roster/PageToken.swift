import Crypto
import Directory
import Foundation
import Ground

/// Where the next page begins: the id of the last record, and the filter. 60 URL-safe characters.
///
/// It is encrypted, because internal ids of people would let two teams join their records. It is bound to the app, the
/// organization and the endpoint, but not to the access token, which may expire during a long crawl.
struct PageToken: Equatable {
    let last: Int64
    let role: RosterRole?
    let expiresAt: Date

    static let lifetime: TimeInterval = 48 * 3_600

    /// Bytes of the id, of the expiry and of the filter.
    private static let size = 8 + 8 + 1
    /// The size of former tokens, whose time had four bytes (which end in 2106). Such tokens are still accepted for
    /// their two days.
    private static let formerSize = 8 + 4 + 1

    /// The call for which the token is valid.
    struct Binding {
        let endpoint: String
        let app: AppID
        let organization: OrganizationID

        fileprivate var bytes: Data { Data("\(endpoint) \(app.rawValue) \(organization.rawValue)".utf8) }
    }

    func seal(for binding: Binding, with key: SymmetricKey) -> String {
        var payload = Data()
        withUnsafeBytes(of: last.bigEndian) { payload.append(contentsOf: $0) }
        let expiry = Int64(expiresAt.timeIntervalSince1970.rounded(.down))
        withUnsafeBytes(of: expiry.bigEndian) { payload.append(contentsOf: $0) }
        // The index is found: `allCases` holds every case.
        payload.append(role.map { UInt8(RosterRole.allCases.firstIndex(of: $0)! + 1) } ?? 0)
        // Fails only for keys of the wrong size; nil only for nonces of an unusual length.
        return try! AES.GCM.seal(payload, using: key, authenticating: binding.bytes).combined!.base64URLEncoded
    }

    /// Opens a token.
    /// - Throws: ``RosterRefusal/badRequest(message:)`` unless this server sealed it for the same app, organization and
    ///   endpoint, and it has not expired.
    static func open(
        _ text: String, for binding: Binding, with key: SymmetricKey, at now: Date
    ) throws -> PageToken {
        guard let sealed = Data(base64URLEncoded: text), let box = try? AES.GCM.SealedBox(combined: sealed),
            let data = try? AES.GCM.open(box, using: key, authenticating: binding.bytes),
            data.count == Self.size || data.count == Self.formerSize
        else {
            throw RosterRefusal.badRequest(
                message: "pageToken is not one that this endpoint gave out. Begin again without it.")
        }
        let bytes = Array(data)
        let expiry = bytes[8..<bytes.count - 1].reduce(Int64(0)) { $0 << 8 | Int64($1) }
        let role = Int(bytes[bytes.count - 1])
        let token = PageToken(
            last: bytes[0..<8].reduce(Int64(0)) { $0 << 8 | Int64($1) },
            role: role == 0 ? nil : RosterRole.allCases[role - 1],
            expiresAt: Date(timeIntervalSince1970: Double(expiry)))
        guard now < token.expiresAt else {
            throw RosterRefusal.badRequest(message: "pageToken has expired. Begin again without it.")
        }
        return token
    }
}
