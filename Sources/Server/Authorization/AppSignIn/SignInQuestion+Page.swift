import Directory

extension SignInQuestion {
    /// Why a page comes before the answer: what the person has to see, to write or to press.
    package enum PageReason: Equatable, Sendable, CaseIterable {
        /// The organization keeps the app out, or the account was closed.
        case blocked
        /// The first sign-in to the app, or it asks for more than it has, or for the page (`prompt=consent`).
        case consent
        /// The app is to get a hidden address of its own team in place of the one that it brought from another.
        case newHiddenAddress
        /// Another device waits for the answer, and somebody else may have sent its code. RFC 8628 §5.4.
        case waitingDevice
        /// The app wants the person to choose an account, or hints at somebody else than who is signed in.
        case choiceOfAccount
        /// Any program on the device can ask in the name of another. RFC 8252 §8.6.
        case nativeProgram
        /// The organization, or whoever runs this server, wants each sign-in confirmed.
        case confirmation
        /// The service that we are compatible with shows its page at every sign-in.
        case compatibleManners
    }

    /// The one place that decides whether a request is answered at once, in all profiles, with `prompt=none` or without.
    ///
    /// Single sign-on is to spare people the page that they have answered before: which apps may sign people in at all, the
    /// organization has decided, and the person has let this one know them. Whether the session counts for the request is
    /// another question, which ``AuthorizationRequest/accepts(_:)`` answers.
    /// - Parameter hasJustSignedIn: the session began on the way to this request.
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
            // Who has typed a password on a page that names the app has answered already.
            if hasJustSignedIn { return nil }
            // Every program on a device can listen at such an address. An app that proves itself with a secret may have its
            // answer all the same, but not out of a session that began with nobody at the keyboard.
            if ReturnURL.isNative(request.redirectURI), known.isPublicClient || session.deviceID != nil {
                return .nativeProgram
            }
            if known.asksEveryTime { return .confirmation }
            if !known.isMeant(by: request.loginHint) { return .choiceOfAccount }
            return request.profile.manners.alwaysShowsPage && session.deviceID == nil ? .compatibleManners : nil
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
