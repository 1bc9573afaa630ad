import Crypto
import CryptoExtras
import Fixtures
import Foundation
import Ground
import Testing

@testable import Directory

/// WebAuthn Level 2 §7.1 and §7.2, each statement that can be broken.
@Suite struct PasskeyVerificationTests {
    private static let party = RelyingParty(baseURL: "https://id.school.example")!  // a good address

    private static func keys() throws -> [SoftAuthenticator.Key] {
        [
            .es256(P256.Signing.PrivateKey()), .edDSA(Curve25519.Signing.PrivateKey()),
            .rs256(try _RSA.Signing.PrivateKey(keySize: .bits2048)),
        ]
    }

    private static func passkey(_ key: PasskeyRegistration.Key, userHandle: [UInt8] = [1]) -> Passkey {
        Passkey(
            id: PasskeyID(rawValue: 1), personID: PersonID(rawValue: 1), credentialID: key.credentialID,
            userHandle: userHandle, algorithm: key.algorithm, publicKey: key.publicKey,
            signatureCount: key.signatureCount, mayBeBackedUp: key.mayBeBackedUp, isBackedUp: key.isBackedUp,
            name: "Phone", addedAt: .distantPast, usedAt: nil)
    }

    @Test("a key of each algorithm registers, without an attestation and attesting itself, and signs")
    func goodKeys() throws {
        for key in try Self.keys() {
            for format in ["none", "packed"] {
                let authenticator = SoftAuthenticator(key)
                var words = SoftAuthenticator.Words()
                words.format = format
                let (registered, challenge) = try authenticator.register("first", words).verified(at: Self.party)
                #expect(challenge == "first" && registered.credentialID == authenticator.credentialID)
                #expect(registered.algorithm.rawValue == authenticator.algorithm)
                #expect(registered.isVerified && registered.mayBeBackedUp && registered.isBackedUp)
                let proof = try authenticator.assert("second").verified(
                    by: Self.passkey(registered), at: Self.party, requiresVerification: true)
                #expect(
                    proof.challenge == "second" && proof.isVerified && proof.isBackedUp && proof.signatureCount == 0)
            }
        }
    }

    @Test("extensions that nobody asked for do no harm, and nor does a browser that knows token binding and has none")
    func extensions() throws {
        var words = SoftAuthenticator.Words()
        words.extensions = CBOR.map(1) + CBOR.text("example") + CBOR.number(1)
        words.tokenBinding = "supported"
        let authenticator = SoftAuthenticator()
        let passkey = Self.passkey(try authenticator.register("c", words).verified(at: Self.party).key)
        _ = try authenticator.assert("c", words).verified(by: passkey, at: Self.party, requiresVerification: true)
    }

    @Test("the client data and the authenticator data are signed together: with one of another sign-in, neither counts")
    func signedTogether() throws {
        let authenticator = SoftAuthenticator()
        let passkey = Self.passkey(try authenticator.register("c").verified(at: Self.party).key)
        var counted = authenticator
        counted.count = 7
        let (one, other) = (try authenticator.assert("one"), try counted.assert("other"))
        for (client, data) in [(one.clientData, other.authenticatorData), (other.clientData, one.authenticatorData)] {
            let mixed = PasskeyAssertion(
                credentialID: one.credentialID, clientData: client, authenticatorData: data, signature: one.signature,
                userHandle: nil)
            #expect(throws: PasskeyRefusal.wrongSignature) {
                try mixed.verified(by: passkey, at: Self.party, requiresVerification: true)
            }
        }
    }

    private typealias Change = (inout SoftAuthenticator.Words) -> Void

    @Test("a registration with anything wrong is refused, for its reason")
    func registrations() throws {
        let cases: [(PasskeyRefusal, Change)] = [
            (.wrongType, { $0.type = "webauthn.get" }),
            (.wrongOrigin, { $0.origin = "https://id.schoo1.example" }),
            (.wrongOrigin, { $0.origin = "https://id.school.example:8443" }),
            (.wrongOrigin, { $0.origin = "http://id.school.example" }),
            (.wrongOrigin, { $0.crossOrigin = true }),
            (.malformed("it is from a connection with token binding"), { $0.tokenBinding = "present" }),
            (.wrongRelyingParty, { $0.partyID = "school.example" }),
            (.personAbsent, { $0.flags = 0x1c }),
            (.malformed("the key is backed up, although it cannot be"), { $0.flags = 0x15 }),
            (.unknownAlgorithm, { $0.algorithm = -36 }),
            (.malformed("the authenticator data is not that of a new credential"), { $0.algorithm = -8 }),
            (.malformed("something follows the authenticator data"), { $0.trailing = [0] }),
            (.malformed("the attestation is no CBOR, or something follows it"), { $0.trailingAttestation = [0] }),
            (.malformed("the key is cut off"), { $0.missing = 40 }),
            (.malformed("the credential is cut off"), { $0.missing = 130 }),
            (.wrongAttestation("it is of another kind"), { $0.format = "android-safetynet" }),
            (
                .wrongAttestation("the key has not signed it"),
                {
                    $0.format = "packed"
                    $0.isForged = true
                }
            ),
            (
                .wrongAttestation("its algorithm is not that of the key"),
                {
                    $0.format = "packed"
                    $0.statementAlgorithm = -257
                }
            ),
        ]
        for (refusal, change) in cases {
            var words = SoftAuthenticator.Words()
            change(&words)
            #expect(throws: refusal) {
                try SoftAuthenticator().register("c", words).verified(at: Self.party)
            }
        }
    }

    @Test("what is far too long is refused before it is read")
    func oversized() throws {
        let good = try SoftAuthenticator().register("c")
        let megabyte = [UInt8](repeating: 0xff, count: 1 << 20)
        #expect(throws: PasskeyRefusal.malformed("the attestation is too long")) {
            try PasskeyRegistration(clientData: good.clientData, attestation: good.attestation + megabyte)
                .verified(at: Self.party)
        }
        #expect(throws: PasskeyRefusal.malformed("the client data is too long")) {
            try PasskeyRegistration(clientData: good.clientData + megabyte, attestation: good.attestation)
                .verified(at: Self.party)
        }
        // A head that promises 2^62 members, and has none.
        #expect(throws: PasskeyRefusal.malformed("the attestation is no CBOR, or something follows it")) {
            try PasskeyRegistration(
                clientData: good.clientData, attestation: [0xbb, 0x40, 0, 0, 0, 0, 0, 0, 0]
            ).verified(at: Self.party)
        }
    }

    @Test("what promises members that are not there takes no memory")
    func promises() throws {
        let before = try Self.mostMemory()
        let good = try SoftAuthenticator().register("c")
        // A list of 134 million, a map of half as many, and both within others: for each libcbor would take a gigabyte.
        let list: [UInt8] = [0x9b, 0, 0, 0, 0, 0x08, 0, 0, 0]
        let map: [UInt8] = [0xbb, 0, 0, 0, 0, 0x04, 0, 0, 0]
        for head in [list, map, [0xa1, 0x00] + list, [0x81, 0x81] + map] {
            #expect(CBORItem(startOf: head) == nil)
            #expect(throws: PasskeyRefusal.malformed("the attestation is no CBOR, or something follows it")) {
                try PasskeyRegistration(clientData: good.clientData, attestation: head).verified(at: Self.party)
            }
        }
        // The extensions of a sign-in are read before its signature is checked.
        let authenticator = SoftAuthenticator()
        let passkey = Self.passkey(try authenticator.register("c").verified(at: Self.party).key)
        var words = SoftAuthenticator.Words()
        words.extensions = [0xa1, 0x00] + list
        #expect(throws: PasskeyRefusal.malformed("the extensions are cut off")) {
            try authenticator.assert("c", words).verified(by: passkey, at: Self.party, requiresVerification: false)
        }
        let after = try Self.mostMemory()
        #expect(after - before < 512 << 10, "\(after - before) KB more")
    }

    /// The most memory that this process has had at once, in KB.
    private static func mostMemory() throws -> Int {
        let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
        let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") })
        return try #require(Int(line.filter(\.isNumber)))
    }

    @Test("CBOR is read that is whole, says its lengths at the beginning and is not deep")
    func extent() throws {
        let good: [[UInt8]] = [
            [0x00], [0x18, 0xff], [0x3b, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff], [0x40], [0x42, 1, 2],
            [0x62, 0x61, 0x62], [0x82, 0x01, 0x02], [0xa1, 0x01, 0x81, 0x02], [0xc1, 0x00], [0xf5],
            [0xfb] + [UInt8](repeating: 0, count: 8), [UInt8](repeating: 0x81, count: 7) + [0x00],
        ]
        for bytes in good {
            #expect(CBORExtent(startOf: bytes)?.byteCount == bytes.count, "\(bytes)")
            #expect(CBORExtent(startOf: bytes + [0x00])?.byteCount == bytes.count, "\(bytes)")
            #expect(CBORItem(startOf: bytes + [0x00])?.byteCount == bytes.count, "\(bytes)")
            #expect(CBORItem(startOf: bytes.dropLast()) == nil, "\(bytes)")
        }
        let bad: [[UInt8]] = [
            [], [0x1c], [0x1f], [0x9f, 0xff], [0xbf, 0xff], [0x5f, 0xff], [0x7f, 0xff], [0xff], [0x83, 1, 2],
            [0xa1, 0x01], [0xc1], [0x58, 0x02, 0x00], [0x7b] + [UInt8](repeating: 0xff, count: 8),
            [0x9b] + [UInt8](repeating: 0xff, count: 8), [0xdb] + [UInt8](repeating: 0xff, count: 8),
            [UInt8](repeating: 0x81, count: 8) + [0x00], [UInt8](repeating: 0x81, count: 16_384),
        ]
        for bytes in bad { #expect(CBORItem(startOf: bytes) == nil, "\(bytes.prefix(12))") }
    }

    @Test("without a challenge of ours, nothing that an authenticator is said to have written is read")
    func challengeFirst() throws {
        let authenticator = SoftAuthenticator()
        let good = try authenticator.register("c")
        let passkey = Self.passkey(try good.verified(at: Self.party).key)
        #expect(throws: PasskeyRefusal.wrongChallenge) {
            try PasskeyRegistration(clientData: good.clientData, attestation: [0xff]).verified(at: Self.party) {
                _ throws(PasskeyRefusal) in throw .wrongChallenge
            }
        }
        var words = SoftAuthenticator.Words()
        words.trailing = [0]
        #expect(throws: PasskeyRefusal.wrongChallenge) {
            try authenticator.assert("c", words).verified(
                by: passkey, at: Self.party, requiresVerification: false
            ) { _ throws(PasskeyRefusal) in throw .wrongChallenge }
        }
    }

    @Test("no part of a registration can be left out, at whichever byte it ends")
    func truncated() throws {
        let good = try SoftAuthenticator().register("c")
        for count in 0..<good.attestation.count {
            #expect(throws: PasskeyRefusal.self) {
                try PasskeyRegistration(
                    clientData: good.clientData, attestation: Array(good.attestation.prefix(count))
                ).verified(at: Self.party)
            }
        }
        for count in 0..<good.clientData.count {
            #expect(throws: PasskeyRefusal.malformed("the client data is not the JSON object of a browser")) {
                try PasskeyRegistration(
                    clientData: Array(good.clientData.prefix(count)), attestation: good.attestation
                ).verified(at: Self.party)
            }
        }
    }

    @Test("a sign-in with anything wrong is refused, for its reason")
    func assertions() throws {
        let authenticator = SoftAuthenticator()
        let passkey = Self.passkey(try authenticator.register("c").verified(at: Self.party).key)
        let cases: [(PasskeyRefusal, Change)] = [
            (.wrongType, { $0.type = "webauthn.create" }),
            (.wrongOrigin, { $0.origin = "https://evil.example" }),
            (.malformed("it is from a connection with token binding"), { $0.tokenBinding = "present" }),
            (.wrongRelyingParty, { $0.partyID = "evil.example" }),
            (.personAbsent, { $0.flags = 0x04 }),
            (.personNotVerified, { $0.flags = 0x01 }),
            (.wrongSignature, { $0.isForged = true }),
            (.malformed("the authenticator data is too short"), { $0.missing = 1 }),
            (.malformed("something follows the authenticator data"), { $0.trailing = [0] }),
            (.malformed("the client data is too long"), { $0.padding = 1 << 20 }),
        ]
        for (refusal, change) in cases {
            var words = SoftAuthenticator.Words()
            change(&words)
            #expect(throws: refusal) {
                try authenticator.assert("c", words).verified(by: passkey, at: Self.party, requiresVerification: true)
            }
        }
        // Without the demand, a touch is enough.
        var words = SoftAuthenticator.Words()
        words.flags = 0x01
        let proof = try authenticator.assert("c", words).verified(
            by: passkey, at: Self.party, requiresVerification: false)
        #expect(!proof.isVerified)
    }

    @Test("a sign-in with a megabyte in any of its parts is refused")
    func oversizedAssertions() throws {
        let authenticator = SoftAuthenticator()
        let passkey = Self.passkey(try authenticator.register("c").verified(at: Self.party).key)
        let good = try authenticator.assert("c")
        let megabyte = [UInt8](repeating: 0xff, count: 1 << 20)
        let cases: [(PasskeyRefusal, PasskeyAssertion)] = [
            (.unknownCredential, good.with(credentialID: good.credentialID + megabyte)),
            (.malformed("the client data is too long"), good.with(clientData: good.clientData + megabyte)),
            (
                .malformed("the authenticator data is too long"),
                good.with(authenticatorData: good.authenticatorData + megabyte)
            ),
            (.malformed("the signature is too long"), good.with(signature: good.signature + megabyte)),
            (.unknownCredential, good.with(userHandle: megabyte)),
        ]
        for (refusal, assertion) in cases {
            #expect(throws: refusal) {
                try assertion.verified(by: passkey, at: Self.party, requiresVerification: true)
            }
        }
        _ = try good.verified(by: passkey, at: Self.party, requiresVerification: true)
    }

    @Test("another key, another credential and another person's handle are refused")
    func foreign() throws {
        let authenticator = SoftAuthenticator()
        let passkey = Self.passkey(try authenticator.register("c").verified(at: Self.party).key)
        func expect(_ refusal: PasskeyRefusal, _ other: SoftAuthenticator) {
            #expect(throws: refusal) {
                try other.assert("c").verified(by: passkey, at: Self.party, requiresVerification: false)
            }
        }
        expect(.unknownCredential, SoftAuthenticator())
        expect(.wrongSignature, SoftAuthenticator(credentialID: authenticator.credentialID))
        var stranger = authenticator
        stranger.userHandle = [2]
        expect(.unknownCredential, stranger)
    }

    @Test("where browsers have no passkeys, there is no relying party")
    func parties() {
        #expect(Self.party.id == "id.school.example" && Self.party.origin == "https://id.school.example")
        #expect(RelyingParty(baseURL: "http://localhost:8080")?.origin == "http://localhost:8080")
        for address in ["http://id.school.example", "https://192.0.2.1", "http://127.0.0.1:8080", "https://[::1]"] {
            #expect(RelyingParty(baseURL: address) == nil)
        }
    }

    @Test("a challenge counts for its browser, for five minutes")
    func challenges() throws {
        let fixed = FixedSurroundings()
        let challenges = PasskeyChallenges(party: Self.party, key: SymmetricKey(data: [UInt8](repeating: 1, count: 32)))
        let challenge = challenges.make(for: "one", at: fixed.now, from: fixed.surroundings)
        #expect(challenge != challenges.make(for: "one", at: fixed.now, from: fixed.surroundings))
        try challenges.check(challenge, for: "one", at: fixed.now.addingTimeInterval(299))
        #expect(throws: PasskeyRefusal.expiredChallenge) {
            try challenges.check(challenge, for: "one", at: fixed.now.addingTimeInterval(300))
        }
        #expect(throws: PasskeyRefusal.wrongChallenge) { try challenges.check(challenge, for: "two", at: fixed.now) }
        for wrong in ["", "AAAA", String(challenge.dropLast()), "A" + challenge.dropFirst()] where wrong != challenge {
            #expect(throws: PasskeyRefusal.wrongChallenge) { try challenges.check(wrong, for: "one", at: fixed.now) }
        }
        let other = PasskeyChallenges(party: Self.party, key: SymmetricKey(data: [UInt8](repeating: 2, count: 32)))
        #expect(throws: PasskeyRefusal.wrongChallenge) { try other.check(challenge, for: "one", at: fixed.now) }
        #expect(
            challenges.userHandle(of: PersonID(rawValue: 1)).count == 32
                && challenges.userHandle(of: PersonID(rawValue: 1)) != challenges.userHandle(of: PersonID(rawValue: 2)))
    }
}

// Any challenge will do where it is not what a test is about.
extension PasskeyRegistration {
    fileprivate func verified(at party: RelyingParty) throws(PasskeyRefusal) -> (key: Key, challenge: String) {
        try verified(at: party) { _ throws(PasskeyRefusal) in }
    }
}

extension PasskeyAssertion {
    fileprivate func verified(
        by passkey: Passkey, at party: RelyingParty, requiresVerification: Bool
    ) throws(PasskeyRefusal) -> Proof {
        try verified(by: passkey, at: party, requiresVerification: requiresVerification) {
            _ throws(PasskeyRefusal) in
        }
    }
}

extension PasskeyAssertion {
    fileprivate func with(
        credentialID: [UInt8]? = nil, clientData: [UInt8]? = nil, authenticatorData: [UInt8]? = nil,
        signature: [UInt8]? = nil, userHandle: [UInt8]? = nil
    ) -> PasskeyAssertion {
        PasskeyAssertion(
            credentialID: credentialID ?? self.credentialID, clientData: clientData ?? self.clientData,
            authenticatorData: authenticatorData ?? self.authenticatorData, signature: signature ?? self.signature,
            userHandle: userHandle ?? self.userHandle)
    }
}
