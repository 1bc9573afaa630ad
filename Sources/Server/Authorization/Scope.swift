import Storage

/// What an app may read.
package enum Scope: String, Codable, Sendable, Hashable, CaseIterable {
    case usersRead = "edu.users.read"
    case classesRead = "edu.classes.read"
    /// Everything about the synthetic school, and nothing about a real one.
    case testRead = "edu.rosterapi.test.read"
    /// The name of the person who signs in.
    case name
    case email
    /// Says that a request means OpenID Connect. OpenID Connect Core §3.1.2.1.
    case openID = "openid"
    /// Asks for a refresh token. OpenID Connect Core §11.
    case offlineAccess = "offline_access"
    /// Asks which organization owns the account: `org_id`.
    case organization
    /// What the person who signs in is in the organization: `roles`, and a student's `grade`.
    case roles

    /// The scopes that an app has to be registered for. Every app may ask for the others.
    package static let registrable: [Scope] = [.usersRead, .classesRead, .testRead, .name, .email, .roles]
}

/// Scopes as they stand on the wire and in the database: separated by one space, in a fixed order.
package struct ScopeSet: Equatable, Sendable {
    /// One bit for each scope, because every request makes and compares many of these sets.
    private let bits: UInt16

    private init(bits: UInt16) { self.bits = bits }

    package init(_ scopes: some Sequence<Scope>) { bits = scopes.reduce(0) { $0 | $1.bit } }

    /// - Parameter ignored: scopes of other services, which are skipped.
    /// - Returns: nil if a word is not a scope.
    package init?(text: String, ignoring ignored: Set<String> = []) {
        var bits: UInt16 = 0
        // It goes by bytes, because several sets are read for each token.
        for word in text.utf8.split(separator: UInt8(ascii: " ")) {
            if !ignored.isEmpty, ignored.contains(String(Substring(word))) { continue }
            guard let scope = Scope.allCases.first(where: { $0.rawValue.utf8.elementsEqual(word) }) else { return nil }
            bits |= scope.bit
        }
        self.bits = bits
    }

    package var scopes: [Scope] { Scope.allCases.filter(contains) }

    package var text: String { scopes.map(\.rawValue).sorted().joined(separator: " ") }

    package var isTest: Bool { contains(.testRead) }
    package var isEmpty: Bool { bits == 0 }

    /// Whether users (or classes) may be read, with the test scope standing for both.
    package var readsUsers: Bool { contains(.usersRead) || isTest }
    package var readsClasses: Bool { contains(.classesRead) || isTest }

    package var readsUsersOrClasses: Bool { readsUsers || readsClasses }

    package func contains(_ scope: Scope) -> Bool { bits & scope.bit != 0 }
    package func intersection(_ other: ScopeSet) -> ScopeSet { ScopeSet(bits: bits & other.bits) }
    package func subtracting(_ other: ScopeSet) -> ScopeSet { ScopeSet(bits: bits & ~other.bits) }
    package func union(_ other: ScopeSet) -> ScopeSet { ScopeSet(bits: bits | other.bits) }
    package func isSubset(of other: ScopeSet) -> Bool { subtracting(other).isEmpty }

    /// The scopes of roster access.
    package static let roster = ScopeSet([.usersRead, .classesRead, .testRead])
    /// The scopes that a person who signs in may be asked to allow.
    package static let aboutPerson = ScopeSet([.name, .email, .roles])
    /// Those of them that the service has with which we are compatible.
    package static let compatible = ScopeSet([.name, .email])
    /// The scopes that every standard client may ask for.
    static let always = ScopeSet([.openID, .offlineAccess, .organization])
}

extension Scope {
    /// Used in memory only; the database and the wire have words.
    fileprivate var bit: UInt16 {
        switch self {
        case .usersRead: 1
        case .classesRead: 1 << 1
        case .testRead: 1 << 2
        case .name: 1 << 3
        case .email: 1 << 4
        case .openID: 1 << 5
        case .offlineAccess: 1 << 6
        case .organization: 1 << 7
        case .roles: 1 << 8
        }
    }
}

extension ScopeSet: SQLConvertible {
    package var sqlValue: SQLValue { .text(text) }
    package init(column: Column) throws {
        let text = try column.text()
        guard let set = ScopeSet(text: text) else { throw DatabaseError.unexpectedValue("“\(text)” are no scopes") }
        self = set
    }
}
