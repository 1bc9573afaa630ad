import Directory
import Ground
import Storage

extension SignInService {
    /// Answers a request without a page, if none is needed.
    /// - Parameters:
    ///   - browser: the secret in the cookie of the browser.
    ///   - address: of the client that brought the request.
    ///   - session: who is signed in; nil if nobody is.
    /// - Returns: the answer; otherwise what a page is needed for, as the error for an app that wants no page
    ///   (`prompt=none`).
    /// - Throws: ``OAuthError`` if the app may not make the request any more.
    package func answerWithoutPage(
        _ request: AuthorizationRequest, browser: String, address: AddressBlock?, by session: BrowserSession?,
        origin: Origin
    ) async throws -> Result<AuthorizationResponse.Carrier, OAuthError> {
        guard let session else { return .failure(.telling(.loginRequired, "nobody is signed in")) }
        guard request.accepts(session) else {
            return .failure(.telling(.loginRequired, "the sign-in is older than max_age allows, or another person's"))
        }
        guard !session.mustChangePassword else {
            return .failure(.telling(.interactionRequired, "the password must be changed"))
        }
        guard !request.needsDevice || session.deviceID != nil else {
            return .failure(.telling(.unmetAuthenticationRequirements, "no device has signed the person in"))
        }
        let now = surroundings.now()
        let question = try await database.read {
            try SignInQuestion.find(for: request, person: session.person.id, at: now, in: $0)
        }
        if case .blocked(let app, _, let reason) = question {
            // Without `prompt=none` a page follows, which writes the audit entry.
            if request.prompts.contains(.none) {
                try await noteBlocked(session.person, from: app, reason, parked: nil, origin: origin)
            }
            return .failure(OAuthError(.accessDenied, reason.text, description: reason.publicText))
        }
        if let reason = question.page(before: request, in: session, hasJustSignedIn: false) {
            return .failure(reason.obstacle)
        }
        switch try await answerAtOnce(request, browser: browser, address: address, by: session, origin: origin) {
        case .answer(let carrier): return .success(carrier)
        // Since the question was found, the person has stopped using the app, or the organization has shut it out.
        case .refused(.create): return .failure(SignInQuestion.PageReason.consent.obstacle)
        case .refused(.blocked): return .failure(SignInQuestion.PageReason.blocked.obstacle)
        default: return .failure(.telling(.interactionRequired, "the sign-in ended at this moment"))
        }
    }
}

extension SignInQuestion.PageReason {
    /// The error for an app that wants no page. OpenID Connect Core §3.1.2.6.
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
