/// What an app may read of an organization, or learn about a person. An open set: a scope that is not named here still
/// decodes.
public struct Scope: RawRepresentable, Codable, Hashable, Sendable {
    public let rawValue: String

    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// An organization's people.
    public static let usersRead = Scope(rawValue: "edu.users.read")
    /// An organization's classes.
    public static let classesRead = Scope(rawValue: "edu.classes.read")
    /// A synthetic school for trials. It must be requested alone, without the other two.
    public static let testRead = Scope(rawValue: "edu.rosterapi.test.read")

    /// A person's name, when they sign in.
    public static let name = Scope(rawValue: "name")
    /// A person's email address, when they sign in.
    public static let email = Scope(rawValue: "email")
    /// Asks for an identity token. OpenID Connect Core section 3.1.2.1.
    public static let openID = Scope(rawValue: "openid")
    /// A person's name, in the standard profile. OpenID Connect Core section 5.4.
    public static let profile = Scope(rawValue: "profile")
    /// Which organization owns the account, in the standard profile. In the other profiles every app is told.
    public static let organization = Scope(rawValue: "organization")
    /// What a person is in the organization, in the standard profile: roles, and a student's grade.
    public static let roles = Scope(rawValue: "roles")
    /// Asks for a refresh token. OpenID Connect Core section 11.
    public static let offlineAccess = Scope(rawValue: "offline_access")
}

extension Scope {
    /// The scopes of a space-separated list, RFC 6749 section 3.3.
    public static func list(_ text: String) -> [Scope] {
        text.split(separator: " ").map { Scope(rawValue: String($0)) }
    }
}

extension Sequence<Scope> {
    /// The space-separated list, RFC 6749 section 3.3.
    public var scopeList: String {
        map(\.rawValue).joined(separator: " ")
    }
}
