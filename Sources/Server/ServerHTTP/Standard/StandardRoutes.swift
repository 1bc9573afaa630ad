import Authorization
import Directory
import Foundation
import Ground
import HTTPTypes
import Hummingbird
import LanyardAPI
import Storage

/// `/oidc/…`: OpenID Connect as everybody else speaks it.
struct StandardRoutes: Sendable {
    let database: any Database
    let requests: SignInRequests
    let sessions: SessionReader
    let signIns: SignInService
    let userInfo: UserInfoService
    let endpoint: TokenEndpoint
    let teamIdentifiers: TeamIdentifiers
    let issuer: String
    let document = PublicDocument()

    private var surroundings: Surroundings { requests.surroundings }
    private var pages: PageResponder { requests.pages }

    func mount(on router: some RouterMethods<AppContext>) {
        router.get("oidc/authorize", use: authorize)
        router.post("oidc/authorize", use: SignInRequests.asGet)
        router.post("oidc/token", use: endpoint.token)
        router.post("oidc/revoke", use: endpoint.revoke)
        router.get("oidc/keys", use: endpoint.keys)
        router.get("oidc/userinfo", use: tellUserInfo)
        router.post("oidc/userinfo", use: tellUserInfo)
        router.get("oidc/.well-known/openid-configuration", use: discovery)
        // RFC 8414 §3.1: the path of the issuer comes last.
        router.get(".well-known/oauth-authorization-server/oidc", use: discovery)
    }

    // MARK: Authorization

    @Sendable private func authorize(_ request: Request, context: AppContext) async throws -> Response {
        let (parameters, issuer, now) = (try request.queryParameters(), issuer, surroundings.now())
        return try await requests.take(request, context, in: .standard) {
            try AuthorizationRequest.standard(parameters, issuer: issuer, at: now, in: $0)
        } goOn: { valid, visitor in
            let valid = try await valid.asking(
                for: try parameters["id_token_hint"], keys: endpoint.keys, teamIdentifiers: teamIdentifiers,
                in: database)
            switch try await answerAtOnce(valid, request, context, visitor) {
            case .success(let answer): return answer
            // There is no page that would make a device sign in.
            case .failure(let obstacle) where valid.prompts.contains(.none) || valid.needsDevice:
                throw AuthorizationRequest.Refusal.redirect(obstacle, valid.response)
            case .failure: return try await requests.park(valid, for: visitor, context)
            }
        }
    }

    /// Answers without a page, if none is needed.
    /// - Returns: otherwise what a page is needed for, as an app hears it that wants none (`prompt=none`).
    private func answerAtOnce(
        _ valid: AuthorizationRequest, _ request: Request, _ context: AppContext, _ visitor: Visitor
    ) async throws -> Result<Response, OAuthError> {
        guard let session = try await sessions.session(of: visitor) else {
            return .failure(.telling(.loginRequired, "nobody is signed in"))
        }
        guard valid.accepts(session) else {
            return .failure(.telling(.loginRequired, "the sign-in is older than max_age allows, or another person's"))
        }
        guard !session.mustChangePassword else {
            return .failure(.telling(.interactionRequired, "the password must be changed"))
        }
        guard !valid.needsDevice || session.deviceID != nil else {
            return .failure(.telling(.unmetAuthenticationRequirements, "no device has signed the person in"))
        }
        let question = try await database.read {
            try SignInQuestion.find(for: valid, person: session.person.id, in: $0)
        }
        if case .blocked(let app, _, let reason) = question {
            // Else the page tells the audit trail.
            if valid.prompts.contains(.none) {
                try await signIns.noteBlocked(
                    session.person, from: app, reason, parked: nil, origin: .request(context))
            }
            return .failure(
                OAuthError(.accessDenied, reason.text, description: reason.publicText))
        }
        if let reason = question.page(before: valid, in: session, hasJustSignedIn: false) {
            return .failure(reason.obstacle)
        }
        let outcome = try await signIns.answerAtOnce(
            valid, browser: visitor.browserSecret, address: AddressBlock(context.remoteAddress), by: session,
            origin: .request(context))
        switch outcome {
        case .answer(let carrier):
            return .success(pages.carry(carrier, appName: "", to: request, context, visitor: visitor))
        // Somebody has stopped using the app, or the organization has shut it out, at this moment.
        case .refused(.create): return .failure(SignInQuestion.PageReason.consent.obstacle)
        case .refused(.blocked): return .failure(SignInQuestion.PageReason.blocked.obstacle)
        default: return .failure(.telling(.interactionRequired, "the sign-in ended at this moment"))
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
                organizationID: info.orgID))
    }

    // MARK: Discovery

    @Sendable private func discovery(_ request: Request, context: AppContext) async throws -> Response {
        try document.response(to: request) {
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
                    scopes: ["openid", "profile", "email", "organization", "offline_access"],
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
                    authenticationContexts: AuthenticationContext.allCases.map(\.rawValue),
                    pageLanguages: ["en", "ja", "ko"], hasBackChannelLogout: true,
                    hasBackChannelLogoutSessions: true, takesClaimsParameter: true, takesRequestParameter: false,
                    takesRequestURIParameter: false))
        }
    }
}

extension SignInQuestion.PageReason {
    /// What an app hears that wants no page. OpenID Connect Core §3.1.2.6.
    fileprivate var obstacle: OAuthError {
        switch self {
        case .blocked: .telling(.accessDenied, "the person may not sign in to the app")
        case .consent: .telling(.consentRequired, "the person has not agreed yet")
        case .newHiddenAddress: .telling(.consentRequired, "the app gets a new address of the person")
        case .choiceOfAccount: .telling(.loginRequired, "login_hint names somebody else than who is signed in")
        case .nativeProgram: .telling(.interactionRequired, "a native program's sign-in is always shown to the person")
        case .confirmation: .telling(.interactionRequired, "the person confirms each sign-in")
        case .waitingDevice, .compatibleManners: .telling(.interactionRequired, "a page is shown each time")
        }
    }
}
