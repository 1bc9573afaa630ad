import Directory
import Foundation
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

    /// Asks for the person of an identity token that the app got before, if one comes along as `id_token_hint`.
    /// OpenID Connect Core §3.1.2.1.
    ///
    /// A token that cannot be read, as one of a key that is long out of use, says nothing of who is meant: then a page
    /// asks, and without a page there is no answer.
    /// - Throws: ``Refusal`` `login_required`
    package func asking(
        for token: String?, keys: SigningKeys, teamIdentifiers: TeamIdentifiers, in database: any Database
    ) async throws -> AuthorizationRequest {
        guard let token else { return self }
        var request = self
        if let hint = try await keys.hint(token), hint.iss == issuer {
            request.person = try await database.read { transaction in
                guard let app = try App.find(clientID: clientID, in: transaction) else { return nil }
                return try teamIdentifiers.of(app.teamID, in: transaction).person(hint.sub, in: transaction)?.id
            }
        }
        guard request.person != nil || !prompts.contains(.none) else {
            throw Refusal.redirect(.telling(.loginRequired, "id_token_hint names nobody whom the app knows"), response)
        }
        return request
    }
}
