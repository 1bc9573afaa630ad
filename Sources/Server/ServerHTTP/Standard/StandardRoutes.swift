import Authorization
import Directory
import Foundation
import Ground
import HTTPTypes
import Hummingbird
import LanyardAPI
import ServerPages
import Storage

/// `/oidc/…`: standard OpenID Connect.
struct StandardRoutes: Sendable {
    let database: any Database
    let requests: AuthorizationRequests
    let sessions: SessionReader
    let signIns: SignInService
    let userInfo: UserInfoService
    let endpoint: TokenEndpoint
    let teamIdentifiers: TeamIdentifiers
    let issuer: String
    let document = PublicDocument()

    func mount(on router: some RouterMethods<AppContext>, _ standing: inout StandingAnswers) {
        router.get("oidc/authorize", use: authorize)
        router.post("oidc/authorize", use: AuthorizationRequests.asGet)
        router.post("oidc/token", use: endpoint.token)
        router.post("oidc/revoke", use: endpoint.revoke)
        endpoint.serveKeys("/oidc/keys", on: router, &standing)
        router.get("oidc/userinfo", use: tellUserInfo)
        router.post("oidc/userinfo", use: tellUserInfo)
        standing.serve("/oidc/.well-known/openid-configuration", on: router, discovery)
        // RFC 8414 §3.1 puts the path of the issuer at the end.
        standing.serve("/.well-known/oauth-authorization-server/oidc", on: router, discovery)
    }

    // MARK: Authorization

    @Sendable private func authorize(_ request: Request, context: AppContext) async throws -> Response {
        let (parameters, issuer, now) = (try request.queryParameters(), issuer, requests.surroundings.now())
        return try await requests.take(request, context, in: .standard) {
            try AuthorizationRequest.standard(parameters, issuer: issuer, at: now, in: $0)
        } goOn: { valid, visitor in
            let valid = try await valid.asking(
                for: try parameters["id_token_hint"], keys: endpoint.keys, teamIdentifiers: teamIdentifiers,
                in: database)
            let answer = try await signIns.answerWithoutPage(
                valid, browser: visitor.browserSecret, address: AddressBlock(context.remoteAddress),
                by: try await sessions.session(of: visitor), origin: .request(context))
            switch answer {
            case .success(let carrier):
                return requests.pages.carry(carrier, appName: "", to: request, context, visitor: visitor)
            // No page can make a device sign in.
            case .failure(let obstacle) where valid.prompts.contains(.none) || valid.needsDevice:
                throw AuthorizationRequest.Refusal.redirect(obstacle, valid.response)
            case .failure: return try await requests.park(valid, for: visitor, context)
            }
        }
    }

    // MARK: User info

    @Sendable private func tellUserInfo(_ request: Request, context: AppContext) async throws -> Response {
        let token: String
        if let header = request.bearerToken {
            token = header
        } else if request.method == .post, let posted = try await request.formParameters(context)["access_token"] {
            token = posted
        } else {
            throw MissingToken()
        }
        let info = try await userInfo.find(bearerToken: token)
        return try .json(
            LanyardAPI.UserInfo(
                subject: info.sub, name: info.name, givenName: info.givenName, familyName: info.familyName,
                preferredUserName: info.preferredUserName, updatedAt: info.updatedAt, locale: info.locale,
                email: info.email, isEmailVerified: info.emailVerified, isPrivateEmail: info.isPrivateEmail,
                organizationID: info.orgID,
                roles: info.roles?.map(LanyardAPI.RosterRole.init(rawValue:)), grade: info.grade))
    }

    // MARK: Discovery

    @Sendable private func discovery(_ asked: HTTPFields) throws -> StandingAnswer {
        try document.answer(to: asked) {
            let methods = ["client_secret_basic", "client_secret_post", "private_key_jwt", "none"]
            return DiscoveryDocument(
                metadata: ProviderMetadata(
                    issuer: issuer, authorizationEndpoint: "\(issuer)/authorize", tokenEndpoint: "\(issuer)/token",
                    jwksURI: "\(issuer)/keys", userInfoEndpoint: "\(issuer)/userinfo",
                    revocationEndpoint: "\(issuer)/revoke",
                    deviceAuthorizationEndpoint: "\(issuer)/device_authorization",
                    endSessionEndpoint: "\(issuer)/logout", codeChallengeMethodsSupported: ["S256"],
                    authorizationResponseIssuerSupported: true),
                capabilities: .init(
                    scopes: ["openid", "profile", "email", "organization", "roles", "offline_access"],
                    claims: [
                        "sub", "iss", "aud", "exp", "iat", "auth_time", "nonce", "sid", "acr", "amr", "at_hash",
                    ] + Claim.allCases.map(\.rawValue),
                    grantTypes: [
                        "authorization_code", "refresh_token", "urn:ietf:params:oauth:grant-type:device_code",
                    ],
                    identityTokenSigningAlgorithms: SigningAlgorithm.allCases.map(\.rawValue),
                    tokenEndpointAuthMethods: methods, tokenEndpointAuthSigningAlgorithms: ["ES256"],
                    revocationEndpointAuthMethods: methods, revocationEndpointAuthSigningAlgorithms: ["ES256"],
                    prompts: ["none", "login", "consent", "select_account"],
                    authenticationContexts: AuthenticationContext.requestable.map(\.rawValue),
                    pageLanguages: ["en", "ja", "ko"], hasBackChannelLogout: true,
                    hasBackChannelLogoutSessions: true, takesClaimsParameter: true, takesRequestParameter: false,
                    takesRequestURIParameter: false))
        }
    }
}
