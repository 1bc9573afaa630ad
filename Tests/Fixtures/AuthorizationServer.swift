import Authorization
import Crypto
import CryptoExtras
import Directory
import Foundation
import Ground
import Storage

/// The parts of an authorization server over one database, with a school, its administrator and an app that the
/// school has listed.
package struct AuthorizationServer: Sendable {
    package let database: any Database
    package let fixed: FixedSurroundings
    package let masterKey: MasterKey
    package let keys: ServerKeys
    package let teamIdentifiers: TeamIdentifiers
    package let school: School
    package let administrator: Person
    package let registered: RegisteredApp

    package let authenticator: ClientAuthenticator
    package let tokens: TokenService
    package let consents: ConsentService
    package let rosterAuthorizer: RosterAuthorizer
    package let notifications: NotificationOutbox

    package static let issuer = "https://id.maple.example"
    /// The secret in the cookie of the browser that brings requests.
    package static let browser = "browser"

    package init(database: any Database) async throws {
        let fixed = FixedSurroundings()
        let (surroundings, issuer) = (fixed.surroundings, Self.issuer)
        masterKey = MasterKey(bytes: surroundings.randomBytes(32))
        try await Self.insertSigningKey(in: database, under: masterKey, at: fixed.now)
        keys = try await ServerKeys.load(from: database, under: masterKey, surroundings: surroundings)
        teamIdentifiers = TeamIdentifiers(database: database, masterKey: masterKey)
        school = try await School.insert(in: database, fixed)
        administrator = try await school.insertPerson("admin", .administrator)
        registered = try await RegisteredApp.insert(in: database, fixed, under: masterKey)
        authenticator = ClientAuthenticator(database: database, issuer: issuer, now: surroundings.now)
        tokens = TokenService(
            database: database, authenticator: authenticator, keys: keys, teamIdentifiers: teamIdentifiers,
            issuers: .init(compatible: issuer, standard: issuer + "/oidc"), surroundings: surroundings)
        consents = ConsentService(database: database, surroundings: surroundings, cancelledError: "access_denied")
        rosterAuthorizer = RosterAuthorizer(keys: keys, now: surroundings.now)
        notifications = NotificationOutbox(
            database: database, teamIdentifiers: teamIdentifiers, keys: keys, rosterIssuer: issuer,
            issuer: issuer, standardIssuer: issuer + "/oidc", surroundings: surroundings)
        self.database = database
        self.fixed = fixed
        try await change(.list(registered.app.id))
    }

    /// Making an RSA key takes long: one does for all tests.
    private static let signingKey = try! _RSA.Signing.PrivateKey(keySize: .bits2048).derRepresentation

    private static func insertSigningKey(in database: any Database, under masterKey: MasterKey, at now: Date)
        async throws
    {
        let sealed = try masterKey.seal(signingKey, for: "sign_tokens")
        try await database.write { transaction in
            try transaction.execute(
                "INSERT INTO server_key (key_id, purpose, sealed_key, created_at) VALUES ($1, $2, $3, $4)",
                ["SIGNINGKEY", "sign_tokens", sealed, now])
        }
    }
}

extension AuthorizationServer {
    package func change(_ change: AccessRule.Change) async throws {
        let (organization, now) = (school.organization.id, fixed.now)
        try await database.write { transaction in
            try AccessRule.apply(
                change, to: organization, purpose: .dataSharing, by: .operator, from: .commandLine, at: now,
                in: transaction)
        }
    }

    /// The parameters of a good authorization request; what is handed in replaces them. Nil leaves one out.
    package func parameters(_ changes: [String: String?] = [:]) -> RequestParameters {
        let good: [String: String?] = [
            "client_id": registered.clientID, "redirect_uri": registered.returnURL, "response_type": "code",
            "scope": "edu.users.read edu.classes.read", "state": "n3kP",
        ]
        return RequestParameters(
            good.merging(changes) { $1 }.compactMap { name, value in value.map { FormField(name, $0) } })
    }

    package func validate(_ changes: [String: String?] = [:]) async throws -> AuthorizationRequest {
        let parameters = parameters(changes)
        return try await database.read { try AuthorizationRequest.validate(parameters, in: $0) }
    }

    package func park(_ changes: [String: String?] = [:]) async throws -> ParkedRequest {
        let (request, now, surroundings) = (try await validate(changes), fixed.now, fixed.surroundings)
        let parked = try await database.write { transaction in
            let token = try ParkedRequest.insert(
                request, browser: Self.browser, at: now, from: surroundings, in: transaction)
            return try ParkedRequest.find(token: token.text, browser: Self.browser, at: now, in: transaction)
        }
        return parked!  // inserted two lines above
    }

    package func question(_ parked: ParkedRequest, of person: Person) async throws -> ConsentQuestion {
        let now = fixed.now
        return try await database.read {
            try ConsentQuestion.find(for: parked.request, person: person, at: now, in: $0)
        }
    }

    package func allow(_ parked: ParkedRequest, by person: Person? = nil) async throws -> ConsentService.Outcome {
        try await consents.allow(parked, by: try await school.signIn(person ?? administrator), origin: .system)
    }

    /// A code that the administrator allowed.
    package func code(_ changes: [String: String?] = [:]) async throws -> String {
        try await allow(try await park(changes)).code!
    }

    package var client: ClientAuthenticator.Credentials {
        get async throws { try await credentials(of: registered) }
    }

    /// As a request does that asks for nothing else.
    package func authenticate(
        clientID: String?, clientSecret: String?
    ) async throws -> ClientAuthenticator.Client {
        let credentials = try await authenticator.credentials(clientID: clientID, clientSecret: clientSecret)
        return try await database.read { try authenticator.authenticate(credentials, in: $0) }
    }

    package func credentials(
        of registered: RegisteredApp, clientID: String? = nil
    ) async throws -> ClientAuthenticator.Credentials {
        let clientID = clientID ?? registered.clientID
        return try await authenticator.credentials(
            clientID: clientID, clientSecret: try registered.clientSecret(at: fixed.now, claims: ["sub": clientID]))
    }

    package func redeem(
        _ code: String, redirectURI: String? = "https://quizzler.example/callback", codeVerifier: String? = nil
    ) async throws -> TokenService.Answer {
        try await tokens.redeem(
            .init(code: code, redirectURI: redirectURI, codeVerifier: codeVerifier), .roster, client: try await client,
            origin: .system)
    }

    /// Tokens as after a whole sign-in.
    package func exchange(_ changes: [String: String?] = [:]) async throws -> TokenService.Answer {
        try await redeem(try await code(changes))
    }

    package func access(with token: String) async throws -> RosterAccess {
        try await database.read { try rosterAuthorizer.access(with: rosterAuthorizer.open(token), in: $0) }
    }

    package var livingConsent: Consent? {
        get async throws {
            let (app, organization, now) = (registered.app.id, school.organization.id, fixed.now)
            return try await database.read {
                try Consent.living(app: app, organization: organization, at: now, in: $0)
            }
        }
    }

    /// Revokes the living consent.
    /// - Parameter person: nil for the operator.
    @discardableResult
    package func revokeConsent(by person: Person? = nil) async throws -> Bool {
        guard let consent = try await livingConsent else { return false }
        let (now, surroundings) = (fixed.now, fixed.surroundings)
        return try await database.write { transaction in
            try consent.revoke(
                by: person?.id, actor: person.map { .person($0.id) } ?? .operator, from: .system, at: now,
                surroundings: surroundings, in: transaction)
        }
    }
}

extension ConsentService.Outcome {
    /// Where the browser goes, if it is sent somewhere.
    package var location: String? {
        if case .answer(.redirect(let location)) = self { location } else { nil }
    }

    package var code: String? {
        location.flatMap { URLComponents(string: $0)?.queryItems?.first { $0.name == "code" }?.value }
    }
}
