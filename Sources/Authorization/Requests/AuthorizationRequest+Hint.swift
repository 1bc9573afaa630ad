import Directory
import Foundation
import Storage

extension AuthorizationRequest {
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
        if let hint = try await keys.hint(token), let issuer, hint.iss.isExactly(issuer) {
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
