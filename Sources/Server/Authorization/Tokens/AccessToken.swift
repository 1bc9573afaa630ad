import Foundation

/// A sealed reference to a grant: its id and an expiry, encrypted as one block, with a MAC.
///
/// Tokens are not stored. What a token may do is read from the grant on every call, so that ending the grant takes
/// effect at once. Its format is the one that clients know: `a`, 32 hexadecimal digits, `.0.`, four letters, a dot, 22
/// characters of base64url.
package struct AccessToken: Sendable {
    package let grantID: GrantID
    package let expiresAt: Date
    /// The scopes of the grant that the client left out when it refreshed. RFC 6749 §6.
    package let withheld: ScopeSet

    package init(grantID: GrantID, expiresAt: Date, withheld: ScopeSet = ScopeSet([])) {
        self.grantID = grantID
        self.expiresAt = expiresAt
        self.withheld = withheld
    }

    package static let lifetime: TimeInterval = 3_600
}

extension AccessToken {
    /// An app's own token, for ``UserMigration``. It has a negative id, which no grant has.
    init(app: AppID, expiresAt: Date) {
        self.init(grantID: GrantID(rawValue: -app.rawValue), expiresAt: expiresAt)
    }

    /// The app, if this is an app's own token; nil for the token of a grant.
    var appID: AppID? { grantID.rawValue < 0 ? AppID(rawValue: -grantID.rawValue) : nil }
}
