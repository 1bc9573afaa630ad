import CFido2

/// A browser's answer to the wish that a person proves to have a passkey. WebAuthn Level 2 §5.2.2.
package struct PasskeyAssertion: Sendable {
    let credentialID: [UInt8]
    let clientData: [UInt8]
    let authenticatorData: [UInt8]
    let signature: [UInt8]
    /// Whose passkey it is, as said at its registration; nil if the authenticator does not tell.
    let userHandle: [UInt8]?

    /// The longest signature is that of a 2048-bit RSA key, of 256 bytes.
    private static let signatureBytesMax = 1_024

    package init(
        credentialID: [UInt8], clientData: [UInt8], authenticatorData: [UInt8], signature: [UInt8],
        userHandle: [UInt8]?
    ) {
        self.credentialID = credentialID
        self.clientData = clientData
        self.authenticatorData = authenticatorData
        self.signature = signature
        self.userHandle = userHandle
    }

    /// What the authenticator says, once its signature is known to be right.
    struct Proof: Equatable, Sendable {
        let challenge: String
        let signatureCount: Int
        let isBackedUp: Bool
        /// Whether the authenticator made sure who touched it.
        let isVerified: Bool
    }

    /// WebAuthn Level 2 §7.2, but for the steps that the caller does with the database: that the challenge is new, and
    /// the count.
    /// - Parameter checkChallenge: asked before anything that the authenticator is said to have written is read.
    func verified(
        by passkey: Passkey, at party: RelyingParty, requiresVerification: Bool,
        checkChallenge: (String) throws(PasskeyRefusal) -> Void
    ) throws(PasskeyRefusal) -> Proof {
        guard credentialID == passkey.credentialID, userHandle == nil || userHandle == passkey.userHandle else {
            throw .unknownCredential
        }
        let client = try ClientData(clientData)
        try client.check(.get, at: party)
        try checkChallenge(client.challenge)
        let authenticator = try AuthenticatorData(authenticatorData)
        try authenticator.check(at: party, requiresVerification: requiresVerification)
        guard !authenticator.flags.contains(.hasCredential) else { throw .malformed("there is a new credential") }
        guard signature.count <= Self.signatureBytesMax else { throw .malformed("the signature is too long") }

        var owned = fido_assert_new()
        defer { fido_assert_free(&owned) }
        guard let assertion = owned, fido_assert_set_clientdata(assertion, clientData, clientData.count) == FIDO_OK,
            fido_assert_set_rp(assertion, party.id) == FIDO_OK, fido_assert_set_count(assertion, 1) == FIDO_OK,
            fido_assert_set_authdata_raw(assertion, 0, authenticatorData, authenticatorData.count) == FIDO_OK,
            fido_assert_set_sig(assertion, 0, signature, signature.count) == FIDO_OK
        else { throw .malformed("the authenticator data is not that of a sign-in") }
        let algorithm = passkey.algorithm
        let isRight = algorithm.withKey(passkey.publicKey) {
            fido_assert_verify(assertion, 0, Int32(algorithm.rawValue), UnsafeRawPointer($0)) == FIDO_OK
        }
        guard isRight == true else { throw .wrongSignature }
        return Proof(
            challenge: client.challenge, signatureCount: Int(fido_assert_sigcount(assertion, 0)),
            isBackedUp: authenticator.flags.contains(.isBackedUp),
            isVerified: authenticator.flags.contains(.isVerified))
    }
}
