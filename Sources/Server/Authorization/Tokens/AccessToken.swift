import Foundation

/// A sealed reference to a grant: its id and an expiry, encrypted as one block, under a MAC.
///
/// Nothing is stored for it; what it may do is read from the grant on every call, so that whatever ends the grant
/// acts at once. Its shape is the one that clients know: `a`, 32 hexadecimal digits, `.0.`, four letters, a dot,
/// 22 characters of base64url.
package struct AccessToken: Sendable {
    package let grantID: GrantID
    package let expiresAt: Date
    /// What the client did not want of what the grant gives. RFC 6749 §6.
    package let withheld: ScopeSet

    package init(grantID: GrantID, expiresAt: Date, withheld: ScopeSet = ScopeSet([])) {
        self.grantID = grantID
        self.expiresAt = expiresAt
        self.withheld = withheld
    }

    package static let lifetime: TimeInterval = 3_600
}

extension AccessToken {
    /// Of an app itself, for ``UserMigration``. Ids of grants are above zero: nothing takes it for a grant's.
    init(app: AppID, expiresAt: Date) {
        self.init(grantID: GrantID(rawValue: -app.rawValue), expiresAt: expiresAt)
    }

    /// The app whose own token it is; nil for a grant's.
    var appID: AppID? { grantID.rawValue < 0 ? AppID(rawValue: -grantID.rawValue) : nil }
}
