import Ground
import Storage

/// Makes the account of an organization's first administrator, and signs them in. The link is used up with it: what is
/// refused leaves it as it was.
package struct InvitationAcceptance: Sendable {
    let database: any Database
    let hasher: PasswordHasher
    let surroundings: Surroundings

    package init(database: any Database, hasher: PasswordHasher, surroundings: Surroundings) {
        self.database = database
        self.hasher = hasher
        self.surroundings = surroundings
    }

    /// What the person says about themselves. The page has checked it, as it explains the rules.
    package struct Newcomer: Sendable {
        package var givenName = ""
        package var familyName = ""
        package var userName = ""
        package var password = ""

        package init(givenName: String = "", familyName: String = "", userName: String = "", password: String = "") {
            self.givenName = givenName
            self.familyName = familyName
            self.userName = userName
            self.password = password
        }
    }

    /// - Parameters:
    ///   - secret: of the ``Invitation``.
    ///   - token: the token of the session that the browser had; that session ends.
    ///   - browser: the secret of ``KnownBrowser`` that the browser had.
    /// - Returns: nil if the link does not count any more.
    /// - Throws: ``DirectoryError`` for a user name that another account has, or its domain;
    ///   ``PasswordHasher/Overloaded`` when too many wait already.
    package func accept(
        _ secret: String, of newcomer: Newcomer, userAgent: String?, replacing token: String?,
        knownBrowser browser: String?, origin: Origin
    ) async throws -> BrowserEntry? {
        let hash = try await hasher.hash(newcomer.password, for: HashRequester(origin))
        let (now, surroundings) = (surroundings.now(), surroundings)
        return try await database.write { transaction in
            guard let invitation = try Invitation.take(secret, at: now, in: transaction) else { return nil }
            let organization = invitation.organizationID
            let person = try Person.insert(
                in: organization, givenName: newcomer.givenName, familyName: newcomer.familyName,
                userName: newcomer.userName, at: now, in: transaction)
            try RoleAssignment(invitation.role, at: nil).insert(
                for: person.id, of: organization, at: now, in: transaction)
            try Credential.put(hash, temporaryUntil: nil, for: person.id, at: now, in: transaction)
            try person.activate(in: transaction)
            try AuditEntry(
                .personCreated, by: .person(person.id), on: "person:\(person.id.rawValue)", outcome: .done,
                detail: "by invitation as \(invitation.role.rawValue)", from: origin
            ).append(to: organization, at: now, in: transaction)
            return try BrowserEntry.begin(
                for: person.id, userAgent: userAgent, replacing: token, browser: browser, at: now, from: surroundings,
                in: transaction)
        }
    }
}
