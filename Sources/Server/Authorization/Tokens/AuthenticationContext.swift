import Directory

/// How a person signed in, for standard clients: `acr`, one value for each kind of sign-in. OpenID Connect Core §2
/// leaves the values to the parties.
package enum AuthenticationContext: String, CaseIterable, Sendable {
    case password = "urn:lanyard:acr:password"
    /// The key of a registered device, without anybody at the keyboard.
    case deviceKey = "urn:lanyard:acr:device-key"
    /// A ticket of Kerberos, which the person's computer has since they signed in to it.
    case kerberos = "urn:lanyard:acr:kerberos"
    /// Two things of different kinds, such as a password and a one-time code, or a passkey that made sure of the
    /// person.
    case multiFactor = "urn:lanyard:acr:multi-factor"

    /// The values that clients can ask for. Whether a person has a second factor is up to them and their organization,
    /// so that a client which insisted on one would only keep people out.
    package static let requestable: [AuthenticationContext] = [.password, .deviceKey]

    init(_ methods: SignInMethods) {
        self =
            if methods.contains(.deviceKey) {
                .deviceKey
            } else if methods.contains(.kerberos), !methods.isMultiFactor {
                .kerberos
            } else if methods.isMultiFactor, methods.replacesPassword || !methods.contains(.toldAsPassword) {
                .multiFactor
            } else {
                .password
            }
    }
}

extension SignInMethods {
    /// `amr`, RFC 8176. `hwk` would state that a key is protected by hardware, which neither devices nor passkeys prove
    /// to the server. `wia` is the only registered value for SPNEGO, whichever domain controller the ticket is from.
    var words: [String] {
        let hasKey = !isDisjoint(with: [.deviceKey, .passkey])
        let hasCode = !isDisjoint(with: [.oneTimeCode, .recoveryCode])
        return [
            contains(.password) ? "pwd" : nil, contains(.kerberos) ? "wia" : nil, hasKey ? "swk" : nil,
            contains(.userVerified) ? "user" : nil,
            hasCode ? "otp" : nil, isMultiFactor ? "mfa" : nil,
        ].compactMap(\.self)
    }
}

extension AuthorizationRequest {
    /// What is told of how the person of a session signed in. OpenID Connect Core §5.5.1.1: a client that insists on
    /// one `acr` gets that one.
    func methodsTold(of session: BrowserSession) -> SignInMethods {
        needsPassword ? session.methods.union(.toldAsPassword) : session.methods
    }
}
