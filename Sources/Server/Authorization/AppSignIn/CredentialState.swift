import Directory
import Foundation
import Storage

/// Whether a person still uses an app. Programs on people's devices ask for it when they start.
/// docs/specifications/sign-in.md, 12.3.
package enum CredentialState: Sendable {
    case authorized
    /// The person has stopped using the app, or their organization does not allow it: the program should sign out.
    case revoked
    /// The person never used the app.
    case notFound
    /// The app was handed over to another team, for which the person has another id: the program should sign in again
    /// to get it.
    case transferred

    /// - Parameters:
    ///   - user: `sub`, as the app's team knows the person.
    /// - Throws: ``OAuthError`` `invalid_client`
    fileprivate static func find(
        of user: String, clientID: String, teamIdentifiers: TeamIdentifiers, at now: Date,
        in transaction: some Transaction
    ) throws -> CredentialState {
        guard let app = try App.find(clientID: clientID, in: transaction) else {
            throw OAuthError(.invalidClient, "there is no client with this client_id")
        }
        if let person = try teamIdentifiers.of(app.teamID, in: transaction).person(user, in: transaction) {
            guard try SignInConsent.existed(app: app.id, person: person.id, in: transaction) else { return .notFound }
            let isLiving = try SignInConsent.living(app: app.id, person: person.id, in: transaction) != nil
            return try isLiving && SignInAccess.decide(app: app, person: person, in: transaction) == .allowed
                ? .authorized : .revoked
        }
        guard let transfer = try AppTransfer.find(of: app.id, at: now, in: transaction),
            let person = try teamIdentifiers.of(transfer.from, in: transaction).person(user, in: transaction),
            try SignInConsent.living(app: app.id, person: person.id, in: transaction) != nil
        else { return .notFound }
        return .transferred
    }
}

/// Tells apps the ``CredentialState`` of people.
package struct CredentialStates: Sendable {
    private let database: any Database
    private let teamIdentifiers: TeamIdentifiers
    private let now: @Sendable () -> Date

    package init(database: any Database, teamIdentifiers: TeamIdentifiers, now: @escaping @Sendable () -> Date) {
        self.database = database
        self.teamIdentifiers = teamIdentifiers
        self.now = now
    }

    /// - Parameter user: `sub`, as the app's team knows the person.
    /// - Throws: ``OAuthError`` `invalid_client` if there is no client with this id.
    package func find(of user: String, clientID: String) async throws -> CredentialState {
        let (teamIdentifiers, now) = (teamIdentifiers, now())
        return try await database.read {
            try CredentialState.find(
                of: user, clientID: clientID, teamIdentifiers: teamIdentifiers, at: now, in: $0)
        }
    }
}
