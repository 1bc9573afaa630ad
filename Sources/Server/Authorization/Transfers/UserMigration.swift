import Directory
import Foundation
import Ground
import Storage

/// `POST /auth/usermigrationinfo`: makes and reads transfer identifiers, by which one team hands the people of an app
/// over to another. docs/specifications/sign-in.md, 7.
package struct UserMigration: Sendable {
    private let database: any Database
    private let authenticator: ClientAuthenticator
    private let teamIdentifiers: TeamIdentifiers
    private let sealer: AccessTokenSealer
    private let surroundings: Surroundings
    /// The domain of hidden addresses; nil if there is no relay, so that none are made.
    private let relayDomain: String?

    package init(
        database: any Database, authenticator: ClientAuthenticator, keys: ServerKeys, teamIdentifiers: TeamIdentifiers,
        surroundings: Surroundings, relayDomain: String?
    ) {
        self.database = database
        self.authenticator = authenticator
        self.teamIdentifiers = teamIdentifiers
        self.surroundings = surroundings
        self.relayDomain = relayDomain
        sealer = AccessTokenSealer(keys.accessTokens)
    }

    package enum Question: Sendable {
        /// Asked by the team that gives the app away, before or after the transfer.
        /// - Parameters:
        ///   - sub: the person's id for that team.
        ///   - target: the 10-character id of the other team.
        case send(sub: String, target: String)
        /// Asked by the team that has the app now.
        case receive(transferSub: String)
    }

    package enum Answer: Equatable, Sendable {
        case transferSub(String)
        /// The person's id for the asking team, and the hidden address if the app has that instead of the person's own.
        /// The former team's address stays in use for its other apps.
        case sub(String, hiddenAddress: String?)
    }

    /// - Parameter bearerToken: a token of the app itself, or of the person in question.
    /// - Throws: ``OAuthError`` `invalid_client` or `invalid_request`
    package func answer(
        _ question: Question, bearerToken: String, client credentials: ClientAuthenticator.Credentials
    ) async throws -> Answer {
        let now = surroundings.now()
        guard let token = sealer.open(bearerToken), now < token.expiresAt else {
            throw Self.refusal("the access token is not one of ours, or has expired")
        }
        let (authenticator, teamIdentifiers) = (authenticator, teamIdentifiers)
        return try await database.write { transaction in
            let client = try authenticator.authenticate(credentials, in: transaction)
            let bearer = try Self.bearer(token, of: client, at: now, in: transaction)
            func consent(of person: Person) throws -> SignInConsent {
                guard bearer == nil || bearer == person.id else {
                    throw Self.refusal("the access token is another person's")
                }
                guard let living = try SignInConsent.living(app: client.app.id, person: person.id, in: transaction)
                else { throw Self.refusal("the person does not use the app, or not any more") }
                return living
            }
            let own = try teamIdentifiers.of(client.teamID, in: transaction)
            switch question {
            case .send(let sub, let target):
                guard let person = try own.person(sub, in: transaction) else {
                    throw Self.refusal("sub is nobody whom the team knows")
                }
                _ = try consent(of: person)
                // After the transfer, the target can only be the team that got the app.
                let hasGone = client.teamID != client.app.teamID
                guard let team = try Team.find(publicID: target, in: transaction), team.id != client.teamID,
                    !hasGone || team.id == client.app.teamID
                else { throw Self.refusal("target is not the team that gets the app") }
                return .transferSub(
                    own.transfer(to: team.publicID).text(of: person.id, in: person.organizationID))
            case .receive(let transferSub):
                guard client.teamID == client.app.teamID,
                    let transfer = try AppTransfer.find(of: client.app.id, at: now, in: transaction)
                else { throw Self.refusal("the team did not get the app within the last 60 days") }
                let between = try teamIdentifiers.of(transfer.from, in: transaction).transfer(to: transfer.toPublicID)
                guard let person = try between.person(transferSub, in: transaction) else {
                    throw Self.refusal("transfer_sub is nobody who went from that team to this one")
                }
                let hidden = try hiddenAddress(
                    of: person, for: client.app, under: try consent(of: person), at: now, in: transaction)
                return .sub(own.text(of: person.id, in: person.organizationID), hiddenAddress: hidden)
            }
        }
    }

    /// Nil if the app has the person's own address, or none.
    private func hiddenAddress(
        of person: Person, for app: App, under consent: SignInConsent, at now: Date, in transaction: WriteTransaction
    ) throws -> String? {
        guard consent.hidesEmail, consent.scopes.contains(.email) else { return nil }
        guard let relayDomain else {
            return try HiddenAddress.find(of: person.id, for: app.id, in: transaction)?.address
        }
        return try HiddenAddress.findOrInsert(
            of: person, for: app, domain: relayDomain, now: now, from: surroundings, in: transaction
        ).address
    }

    /// - Returns: the person whose token it is; nil for a token of the app itself.
    private static func bearer(
        _ token: AccessToken, of client: ClientAuthenticator.Client, at now: Date, in transaction: some Transaction
    ) throws -> PersonID? {
        if let app = token.appID {
            guard app == client.app.id else { throw refusal("the access token is another app's") }
            return nil
        }
        guard let grant = try Grant.find(token.grantID, in: transaction), grant.profile == .compatible,
            try App.find(clientID: grant.clientID, in: transaction)?.id == client.app.id
        else { throw refusal("the access token is another app's") }
        _ = try Entitlement(grant, of: client.app, at: now, in: transaction)
        return grant.personID
    }

    private static func refusal(_ reason: String) -> OAuthError { OAuthError(.invalidRequest, reason) }
}
