import Storage

/// What an app may read.
package enum Scope: String, Sendable, Hashable, CaseIterable {
    case usersRead = "edu.users.read"
    case classesRead = "edu.classes.read"
    /// Everything of the synthetic school, nothing of a real one.
    case testRead = "edu.rosterapi.test.read"
    /// Of whoever signs in.
    case name
    case email
    /// Says that a request means OpenID Connect. OpenID Connect Core §3.1.2.1.
    case openID = "openid"
    /// Asks for a refresh token. OpenID Connect Core §11.
    case offlineAccess = "offline_access"
    /// Asks which organization owns the account: `org_id`.
    case organization

    /// Those that an app is registered for. The others may be asked for by every app.
    package static let registrable: [Scope] = [.usersRead, .classesRead, .testRead, .name, .email]
}

/// Scopes as they stand on the wire and in the database: separated by one space, in a fixed order.
package struct ScopeSet: Equatable, Sendable {
    package let scopes: Set<Scope>

    package init(_ scopes: Set<Scope>) { self.scopes = scopes }

    /// - Parameter ignored: words of other services that a client may send along.
    /// - Returns: nil if a word is no scope.
    package init?(text: String, ignoring ignored: Set<String> = []) {
        var scopes: Set<Scope> = []
        for word in text.split(separator: " ") where !ignored.contains(String(word)) {
            guard let scope = Scope(rawValue: String(word)) else { return nil }
            scopes.insert(scope)
        }
        self.scopes = scopes
    }

    package var text: String {
        Scope.allCases.filter(scopes.contains).map(\.rawValue).sorted().joined(separator: " ")
    }

    package var isTest: Bool { scopes.contains(.testRead) }
    package var isEmpty: Bool { scopes.isEmpty }

    /// Whether users (or classes) may be read, with the test scope standing for both.
    package var readsUsers: Bool { scopes.contains(.usersRead) || isTest }
    package var readsClasses: Bool { scopes.contains(.classesRead) || isTest }

    package func contains(_ scope: Scope) -> Bool { scopes.contains(scope) }
    package func intersection(_ other: ScopeSet) -> ScopeSet { ScopeSet(scopes.intersection(other.scopes)) }
    package func subtracting(_ other: ScopeSet) -> ScopeSet { ScopeSet(scopes.subtracting(other.scopes)) }
    package func union(_ other: ScopeSet) -> ScopeSet { ScopeSet(scopes.union(other.scopes)) }
    package func isSubset(of other: ScopeSet) -> Bool { scopes.isSubset(of: other.scopes) }

    /// What a roster may be asked for.
    package static let roster = ScopeSet([.usersRead, .classesRead, .testRead])
    /// What a person who signs in may be asked for.
    package static let aboutPerson = ScopeSet([.name, .email])
    /// What every standard client may ask for.
    static let always = ScopeSet([.openID, .offlineAccess, .organization])
}

extension ScopeSet: SQLConvertible {
    package var sqlValue: SQLValue { .text(text) }
    package init(column: Column) throws {
        let text = try column.text()
        guard let set = ScopeSet(text: text) else { throw DatabaseError.unexpectedValue("“\(text)” are no scopes") }
        self = set
    }
}
