import Directory

extension SignInQuestion {
    /// Why a page has to be shown before the answer: something that the person has to see, enter or confirm.
    package enum PageReason: Equatable, Sendable, CaseIterable {
        /// The organization does not allow the app, or the account was closed.
        case blocked
        /// It is the first sign-in to the app, or the app asks for more than it has, or for the page itself
        /// (`prompt=consent`).
        case consent
        /// The app will get a hidden address of its own team, instead of the one that it has from a former team.
        case newHiddenAddress
        /// Another device waits for the answer, and its code may have been sent by an attacker. RFC 8628 §5.4.
        case waitingDevice
        /// The app wants the person to choose an account, or its hint names another person than the one who is signed
        /// in.
        case choiceOfAccount
        /// Any program on the device can make requests in the name of another. RFC 8252 §8.6.
        case nativeProgram
        /// The organization or the operator wants each sign-in confirmed.
        case confirmation
        /// The service that we are compatible with shows its page at every sign-in.
        case compatibleManners
    }

    /// Decides whether a request is answered without a page, in all profiles, with `prompt=none` or without.
    ///
    /// Single sign-on should not repeat a question that was answered before: the organization has decided which apps
    /// are allowed, and the person has let this app know them. ``AuthorizationRequest/accepts(_:)`` decides separately
    /// whether the session is good enough for the request.
    /// - Parameter hasJustSignedIn: whether the session began on the way to this request.
    /// - Returns: nil if the answer needs no page.
    package func page(
        before request: AuthorizationRequest, in session: BrowserSession, hasJustSignedIn: Bool
    ) -> PageReason? {
        switch self {
        case .blocked: return .blocked
        case .create: return .consent
        case .welcome(let known):
            if request.deviceHash != nil { return .waitingDevice }
            if known.replacesHiddenAddress { return .newHiddenAddress }
            if request.prompts.contains(.selectAccount) { return .choiceOfAccount }
            // A person who has just typed a password on a page that names the app has confirmed the sign-in already.
            if hasJustSignedIn { return nil }
            // Any program on a device can listen at such an address. An app that authenticates with a secret gets its
            // answer nevertheless, but not from a session that began without anybody at the keyboard.
            if ReturnURL.isNative(request.redirectURI), known.isPublicClient || session.beganUnattended {
                return .nativeProgram
            }
            if known.asksEveryTime { return .confirmation }
            if !known.isMeant(by: request.loginHint) { return .choiceOfAccount }
            return request.profile.manners.alwaysShowsPage && !session.beganUnattended ? .compatibleManners : nil
        }
    }
}

extension SignInQuestion.Welcome {
    var asksEveryTime: Bool { app.asksEveryTime || organization?.asksEveryTime == true }

    /// Whether `login_hint` is one of the names by which an app may know the person. OpenID Connect Core §3.1.2.1.
    fileprivate func isMeant(by hint: String?) -> Bool {
        guard let hint else { return true }
        return [person.userName, person.email, hiddenAddress?.address].contains {
            $0?.lowercased() == hint.lowercased()
        }
    }
}
