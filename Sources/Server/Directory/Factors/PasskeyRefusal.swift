/// Why what a browser sent for a passkey does not count. WebAuthn Level 2 §7.1 and §7.2; the steps are named beside the
/// cases. People are told only that it did not work: the reason is for the log.
package enum PasskeyRefusal: Error, Equatable, Sendable {
    /// It is no JSON, no CBOR or no authenticator data, too long, or has something behind it.
    case malformed(String)
    /// It is a registration where a sign-in is expected, or the other way round. §7.1 step 7, §7.2 step 11.
    case wrongType
    /// The challenge is not one of this server, or was for another browser or session. §7.1 step 8, §7.2 step 12.
    case wrongChallenge
    /// The challenge is older than ``PasskeyChallenges/lifetime``.
    case expiredChallenge
    /// The challenge was answered before.
    case usedChallenge
    /// Another site had the person sign it, or a frame in another site. §7.1 step 9, §7.2 step 13.
    case wrongOrigin
    /// It was signed for another host. §7.1 step 13, §7.2 step 15.
    case wrongRelyingParty
    /// Nobody touched the authenticator. §7.1 step 14, §7.2 step 16.
    case personAbsent
    /// The authenticator did not make sure who touches it. §7.1 step 15, §7.2 step 17.
    case personNotVerified
    /// The key is of an algorithm that was not offered. §7.1 step 16.
    case unknownAlgorithm
    /// The attestation is of a kind that nobody asked for, or its signature is wrong. §7.1 steps 18 to 21.
    case wrongAttestation(String)
    /// The credential id is registered already, for this person or another. §7.1 step 22.
    case alreadyRegistered
    /// Nobody has a passkey with this credential id, or another person has. §7.2 steps 5 to 7.
    case unknownCredential
    /// §7.2 step 20.
    case wrongSignature
    /// The count of signatures did not grow: the passkey may have been copied. §7.2 step 21.
    case counterWentBack
}
