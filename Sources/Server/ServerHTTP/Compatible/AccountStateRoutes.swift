import Authorization
import HTTPTypes
import Hummingbird
import LanyardAPI

/// What apps ask about people, besides tokens: `POST /auth/usermigrationinfo`, when an app is handed over from one team
/// to another, and `POST /auth/credentialstate`, by which a program on a device learns whether its person still uses
/// it. docs/specifications/sign-in.md, 7 and 12.5.
struct AccountStateRoutes: Sendable {
    let endpoint: TokenEndpoint
    let migration: UserMigration
    let states: CredentialStates

    func mount(on router: some RouterMethods<AppContext>) {
        router.post("auth/usermigrationinfo", use: migrate)
        router.post("auth/credentialstate", use: tellState)
    }

    private struct MigrationAnswer: Encodable {
        var transferSub: String?
        var sub: String?
        var email: String?
        /// A boolean here, unlike in notifications. docs/specifications/sign-in.md, 7.3.
        var isPrivateEmail: Bool?

        enum CodingKeys: String, CodingKey {
            case sub, email
            case isPrivateEmail = "is_private_email"
            case transferSub = "transfer_sub"
        }
    }

    @Sendable private func migrate(_ request: Request, context: AppContext) async throws -> Response {
        let form = try await request.formParameters(context)
        try form.requireNoRepeats()
        let client = try await endpoint.authenticate(request, form, ofEitherTeam: true)
        guard let token = request.bearerToken else { throw OAuthError(.invalidRequest, "there is no access token") }
        let question: UserMigration.Question
        switch (try form["sub"], try form["target"], try form["transfer_sub"]) {
        case (let sub?, let target?, nil): question = .send(sub: sub, target: target)
        case (nil, nil, let transferSub?): question = .receive(transferSub: transferSub)
        default: throw OAuthError(.invalidRequest, "there is neither sub with target nor transfer_sub alone")
        }
        switch try await migration.answer(question, bearerToken: token, client: client) {
        case .transferSub(let text): return try .json(MigrationAnswer(transferSub: text))
        case .sub(let text, let hiddenAddress):
            return try .json(
                MigrationAnswer(sub: text, email: hiddenAddress, isPrivateEmail: hiddenAddress.map { _ in true }))
        }
    }

    /// No secret is needed: a program on a device has none, and a caller who knows a person's id for an app learns only
    /// their state.
    @Sendable private func tellState(_ request: Request, context: AppContext) async throws -> Response {
        let form = try await request.formParameters(context)
        try form.requireNoRepeats()
        guard let clientID = try form["client_id"], let user = try form["user"] else {
            throw OAuthError(.invalidRequest, "client_id or user is missing")
        }
        return try .json(CredentialStateResponse(state: .init(try await states.find(of: user, clientID: clientID))))
    }
}

extension CredentialStateResponse.State {
    fileprivate init(_ state: CredentialState) {
        self =
            switch state {
            case .authorized: .authorized
            case .revoked: .revoked
            case .notFound: .notFound
            case .transferred: .transferred
            }
    }
}
