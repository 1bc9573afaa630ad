import Directory
import Foundation
import Ground
import Storage

extension AuthorizationRequest {
    /// The organization whose people the app expects, if the request tells: that of the person of an identity token, or
    /// the one that has verified the domain of `login_hint`. This reveals no more than what the app knows, or anybody
    /// can read in the DNS.
    package func expectedOrganization(in transaction: some Transaction) throws -> Organization? {
        if let person {
            return try Person.find(person, in: transaction)?.organizationID.flatMap {
                try Organization.find($0, in: transaction)
            }
        }
        guard let loginHint, let at = loginHint.lastIndex(of: "@") else { return nil }
        return try Organization.find(verified: String(loginHint[loginHint.index(after: at)...]), in: transaction)
    }

    /// Limits the request to one person: the subject of an identity token that the app got before and sends as
    /// `id_token_hint` (OpenID Connect Core §3.1.2.1), or the person named by the `claims` parameter (§5.5.1).
    ///
    /// A token that cannot be verified, for example because its key is no longer in use, identifies nobody: then a page
    /// asks, and without a page the request fails. A request for an unknown `sub` fails in any case.
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
