import CFido2

/// A browser's answer to the wish for a new passkey. WebAuthn Level 2 §5.2.1.
package struct PasskeyRegistration: Sendable {
    let clientData: [UInt8]
    let attestation: [UInt8]

    /// An attestation that says little of the authenticator has some hundred bytes.
    private static let bytesMax = 16_384

    package init(clientData: [UInt8], attestation: [UInt8]) {
        self.clientData = clientData
        self.attestation = attestation
    }

    /// The key that is to be registered.
    struct Key: Equatable, Sendable {
        let credentialID: [UInt8]
        let algorithm: PasskeyAlgorithm
        /// As ``PasskeyAlgorithm/withKey(_:_:)`` takes it.
        let publicKey: [UInt8]
        let signatureCount: Int
        let mayBeBackedUp: Bool
        let isBackedUp: Bool
        /// Whether the authenticator made sure who touched it.
        let isVerified: Bool
    }

    /// WebAuthn Level 2 §7.1, but for steps 22 and 23, which the caller does with the database.
    /// - Parameter checkChallenge: asked before anything of the attestation is read, so that only whoever was given a
    ///   challenge can have us read one.
    /// - Returns: the challenge too, which the caller spends.
    func verified(
        at party: RelyingParty, checkChallenge: (String) throws(PasskeyRefusal) -> Void
    ) throws(PasskeyRefusal) -> (key: Key, challenge: String) {
        let client = try ClientData(clientData)
        try client.check(.create, at: party)
        try checkChallenge(client.challenge)
        guard attestation.count <= Self.bytesMax else { throw .malformed("the attestation is too long") }
        guard let object = CBORItem(startOf: attestation), object.byteCount == attestation.count,
            let format = object.text("fmt"), let data = object.bytes("authData")
        else { throw .malformed("the attestation is no CBOR, or something follows it") }
        let authenticator = try AuthenticatorData(data)
        try authenticator.check(at: party, requiresVerification: false)
        guard authenticator.flags.contains(.hasCredential) else { throw .malformed("there is no credential") }
        guard let algorithm = authenticator.algorithm.flatMap(PasskeyAlgorithm.init(rawValue:)) else {
            throw .unknownAlgorithm
        }

        var owned = fido_cred_new()
        defer { fido_cred_free(&owned) }
        guard let credential = owned, fido_cred_set_type(credential, Int32(algorithm.rawValue)) == FIDO_OK,
            fido_cred_set_clientdata(credential, clientData, clientData.count) == FIDO_OK,
            fido_cred_set_rp(credential, party.id, nil) == FIDO_OK,
            fido_cred_set_authdata_raw(credential, data, data.count) == FIDO_OK
        else { throw .malformed("the authenticator data is not that of a new credential") }
        try Self.checkAttestation(format, object, of: credential, algorithm)

        let key = Key(
            credentialID: Self.bytes(fido_cred_id_ptr(credential), fido_cred_id_len(credential)), algorithm: algorithm,
            publicKey: Self.bytes(fido_cred_pubkey_ptr(credential), fido_cred_pubkey_len(credential)),
            signatureCount: Int(fido_cred_sigcount(credential)),
            mayBeBackedUp: authenticator.flags.contains(.mayBeBackedUp),
            isBackedUp: authenticator.flags.contains(.isBackedUp),
            isVerified: authenticator.flags.contains(.isVerified))
        guard (1...Passkey.credentialIDBytesMax).contains(key.credentialID.count) else {
            throw .malformed("the credential id has \(key.credentialID.count) bytes")
        }
        guard algorithm.withKey(key.publicKey, { _ in true }) == true else {
            throw .malformed("the key is no point of its curve")
        }
        return (key, client.challenge)
    }

    /// An attestation says who made the authenticator, which is not asked for. So it is either none, or the key attests
    /// itself. WebAuthn Level 2 §8.2 and §8.7.
    private static func checkAttestation(
        _ format: String, _ object: CBORItem, of credential: OpaquePointer, _ algorithm: PasskeyAlgorithm
    ) throws(PasskeyRefusal) {
        guard let statement = object.encoded("attStmt"), let members = CBORItem(startOf: statement), members.isMap
        else {
            throw .malformed("the attestation has no statement")
        }
        switch format {
        case "none":
            guard members.count == 0 else { throw .wrongAttestation("none, with a statement") }
        case "packed":
            guard members.number("alg") == algorithm.rawValue else {
                throw .wrongAttestation("its algorithm is not that of the key")
            }
            guard fido_cred_set_fmt(credential, format) == FIDO_OK,
                fido_cred_set_attstmt(credential, statement, statement.count) == FIDO_OK,
                fido_cred_verify_self(credential) == FIDO_OK
            else { throw .wrongAttestation("the key has not signed it") }
        default: throw .wrongAttestation("it is of another kind")
        }
    }

    private static func bytes(_ start: UnsafePointer<UInt8>?, _ count: Int) -> [UInt8] {
        Array(UnsafeBufferPointer(start: start, count: start == nil ? 0 : count))
    }
}
