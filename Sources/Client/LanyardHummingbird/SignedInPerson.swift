import Foundation
import LanyardAPI
import LanyardClient

/// The person who is using the app.
public struct SignedInPerson: Codable, Equatable, Sendable {
    /// The same in all apps of the team, for life: use it as the key of the person's data. If their organization shares
    /// its roster, it is the `User.id` there.
    public var id: String
    /// The name that the person or their organization has chosen; nil if it is not known. Untrusted text: escape it.
    public var givenName: String?
    public var familyName: String?
    /// Signed by the service. Nil if it was not requested, and for many people of a school.
    public var email: String?
    /// The person's own account, or one of an organization.
    public var account: Account
    /// When the person signed in to this app, by the app's clock.
    public var signedInAt: Date

    public init(
        id: String,
        givenName: String? = nil,
        familyName: String? = nil,
        email: String? = nil,
        account: Account,
        signedInAt: Date
    ) {
        self.id = id
        self.givenName = givenName
        self.familyName = familyName
        self.email = email
        self.account = account
        self.signedInAt = signedInAt
    }
}

extension SignedInPerson {
    /// The full name in its own order: Chinese, Japanese and Korean names begin with the family name and have no space
    /// in between. Nil if there is no name.
    public var name: String? {
        let names = [givenName, familyName].compactMap { $0 }
        guard !names.isEmpty else { return nil }
        return names.allSatisfy(\.isEastAsian) ? names.reversed().joined() : names.joined(separator: " ")
    }

    /// The `Organization.id` of a managed account; nil for a personal one.
    public var organizationID: String? {
        if case .managed(let organizationID) = account { organizationID } else { nil }
    }

    init(_ identity: IdentityToken, name: PersonName?, at time: Date) {
        self.init(
            id: identity.subject, givenName: name?.givenName, familyName: name?.familyName, email: identity.email,
            account: identity.account, signedInAt: time)
    }
}

extension String {
    /// Whether the text is in Han characters, Hangul or hiragana throughout. Katakana does not count: Japanese writes
    /// names from elsewhere in it, in their own order.
    fileprivate var isEastAsian: Bool {
        unicodeScalars.allSatisfy { scalar in
            switch scalar.value {
            case 0x3041...0x3096, 0x3005, 0x3400...0x9FFF, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0x20000...0x3FFFF: true
            default: false
            }
        }
    }
}
