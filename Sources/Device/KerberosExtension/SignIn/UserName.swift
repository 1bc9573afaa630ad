import Ground

/// A user name as people write it.
struct UserName: Equatable, Sendable {
    /// Without the realm, unless it is another organization's way to write names (UPN), such as `mika@school.test`.
    let text: String
    /// With the realm, as MIT Kerberos reads it.
    let principal: String

    enum Problem: Error { case empty, otherRealm }

    /// - Parameters:
    ///   - isFixed: whether the payload names it: then a realm behind it has to be the payload's.
    init(_ written: String, realm: String, isFixed: Bool = false) throws(Problem) {
        var name = written.trimmingWhitespace
        // As Windows writes it: DOMAIN\name.
        if let backslash = name.lastIndex(of: "\\") { name = String(name[name.index(after: backslash)...]) }
        guard !name.isEmpty, name.unicodeScalars.allSatisfy({ !$0.isControl }), name.utf8.count <= 1000 else {
            throw .empty
        }
        guard let at = name.lastIndex(of: "@") else {
            (text, principal) = (name, "\(name)@\(realm)")
            return
        }
        let (user, domain) = (String(name[..<at]), name[name.index(after: at)...])
        guard !user.isEmpty, !domain.isEmpty, !user.contains("@") else { throw .empty }
        if domain.lowercased() == realm.lowercased() {
            (text, principal) = (user, "\(user)@\(realm)")
        } else if isFixed {
            throw .otherRealm
        } else {
            (text, principal) = (name, "\(name)@\(realm)")
        }
    }

    /// Whether a ticket is of this person. Who signs in with another of their names, such as `mika@school.test`, gets a ticket for
    /// the account's own: then that name is known from the sign-in, or from the directory.
    func isOwner(of ticket: Ticket, saved: SavedSignIn?, facts: DirectoryFacts?) -> Bool {
        func isSame(_ one: String, _ other: String) -> Bool { one.lowercased() == other.lowercased() }
        if isSame(principal, ticket.principal) { return true }
        if let saved, saved.principal == ticket.principal, isSame(saved.userName, text) { return true }
        guard let facts, facts.principal == ticket.principal else { return false }
        return facts.userPrincipalName.map { isSame($0, text) } ?? false
    }
}
