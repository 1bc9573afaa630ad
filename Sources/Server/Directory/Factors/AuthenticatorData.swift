/// What an authenticator signs of itself and the person. WebAuthn Level 2 §6.1.
///
/// libfido2 takes it apart and verifies it. Only what it does not tell is read here: the hash at the beginning, which
/// it compares with signatures only, and whether anything follows the end, which it ignores.
struct AuthenticatorData {
    /// One byte of flags, each a bit.
    struct Flags: OptionSet {
        let rawValue: UInt8
        static let isPresent = Flags(rawValue: 0x01)
        static let isVerified = Flags(rawValue: 0x04)
        static let mayBeBackedUp = Flags(rawValue: 0x08)
        static let isBackedUp = Flags(rawValue: 0x10)
        static let hasCredential = Flags(rawValue: 0x40)
        static let hasExtensions = Flags(rawValue: 0x80)
    }

    let bytes: [UInt8]
    let flags: Flags
    /// The algorithm of the key, as COSE numbers it; nil if there is no key.
    let algorithm: Int?

    /// Hash, flags and count.
    private static let headCount = 37
    /// The model of the authenticator, and the length of the credential id.
    private static let credentialHeadCount = 18
    private static let bytesMax = 8_192

    init(_ bytes: [UInt8]) throws(PasskeyRefusal) {
        guard bytes.count >= Self.headCount else { throw .malformed("the authenticator data is too short") }
        guard bytes.count <= Self.bytesMax else { throw .malformed("the authenticator data is too long") }
        self.bytes = bytes
        flags = Flags(rawValue: bytes[32])
        guard flags.contains(.mayBeBackedUp) || !flags.contains(.isBackedUp) else {
            throw .malformed("the key is backed up, although it cannot be")
        }
        var rest = bytes.dropFirst(Self.headCount)
        if flags.contains(.hasCredential) {
            guard rest.count > Self.credentialHeadCount else { throw .malformed("the credential is cut off") }
            let lengthAt = rest.startIndex + Self.credentialHeadCount - 2
            let idCount = Int(rest[lengthAt]) << 8 | Int(rest[lengthAt + 1])
            rest = rest.dropFirst(Self.credentialHeadCount)
            guard rest.count > idCount, let key = CBORItem(startOf: rest.dropFirst(idCount)), key.isMap else {
                throw .malformed("the key is cut off")
            }
            algorithm = key.number(3)  // RFC 9052 §7.1, alg
            rest = rest.dropFirst(idCount + key.byteCount)
        } else {
            algorithm = nil
        }
        if flags.contains(.hasExtensions) {
            guard let extensions = CBORItem(startOf: rest), extensions.isMap else {
                throw .malformed("the extensions are cut off")
            }
            rest = rest.dropFirst(extensions.byteCount)
        }
        guard rest.isEmpty else { throw .malformed("something follows the authenticator data") }
    }

    /// WebAuthn Level 2 §7.1 steps 13 to 15, §7.2 steps 15 to 17.
    func check(at party: RelyingParty, requiresVerification: Bool) throws(PasskeyRefusal) {
        guard bytes.prefix(32).elementsEqual(party.idHash) else { throw .wrongRelyingParty }
        guard flags.contains(.isPresent) else { throw .personAbsent }
        guard !requiresVerification || flags.contains(.isVerified) else { throw .personNotVerified }
    }
}
