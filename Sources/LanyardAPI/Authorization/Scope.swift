/// What an app may read of an organization. An open set: a scope that is not named here still decodes.
public struct Scope: RawRepresentable, Codable, Hashable, Sendable {
    public let rawValue: String

    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    public static let usersRead = Scope(rawValue: "edu.users.read")
    public static let classesRead = Scope(rawValue: "edu.classes.read")
    /// A synthetic school for trying things out. Asked for alone, never with the other two.
    public static let testRead = Scope(rawValue: "edu.rosterapi.test.read")
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
