import Directory
import Foundation
import Ground
import Storage

extension AuthorizationRequest {
    /// The organization whose people the app expects, as far as it says so: the one of the person of an identity token, or
    /// the one that has verified the domain of `login_hint`. It tells no more than the app knows, or anybody can read in
    /// the DNS.
    package func expectedOrganization(in transaction: some Transaction) throws -> Organization? {
        if let person {
            return try Person.find(person, in: transaction)?.organizationID.flatMap {
                try Organization.find($0, in: transaction)
            }
        }
        guard let loginHint, let at = loginHint.lastIndex(of: "@") else { return nil }
        return try Organization.find(verified: String(loginHint[loginHint.index(after: at)...]), in: transaction)
    }

    /// Asks for one person: the one of an identity token that the app got before, if one comes along as `id_token_hint`
    /// (OpenID Connect Core §3.1.2.1), or the one whom the `claims` parameter names (§5.5.1).
    ///
    /// A token that cannot be read, as one of a key that is long out of use, says nothing of who is meant: then a page
    /// asks, and without a page there is no answer. A `sub` that nobody has can never be answered.
    /// - Throws: ``Refusal`` `login_required`
    package func asking(
        for token: String?, keys: SigningKeys, teamIdentifiers: TeamIdentifiers, in database: any Database
    ) async throws -> AuthorizationRequest {
        var request = self
        func find(_ sub: String) async throws -> PersonID? {
            try await database.read { transaction in
                guard let app = try App.find(clientID: clientID, in: transaction) else { return nil }
                return try teamIdentifiers.of(app.teamID, in: transaction).person(sub, in: transaction)?.id
            }
        }
        if let token {
            if let hint = try await keys.hint(token), let issuer, hint.iss.isExactly(issuer) {
                request.person = try await find(hint.sub)
            }
            guard request.person != nil || !prompts.contains(.none) else {
                throw Refusal.redirect(
                    .telling(.loginRequired, "id_token_hint names nobody whom the app knows"), response)
            }
        }
        if let subject {
            guard let person = try await find(subject), request.person ?? person == person else {
                throw Refusal.redirect(
                    .telling(.loginRequired, "claims names nobody by sub who could answer"), response)
            }
            request.person = person
        }
        return request
    }
}
