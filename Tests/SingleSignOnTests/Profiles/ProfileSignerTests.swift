import Foundation
import SingleSignOn
import SingleSignOnWire
import TestCertificates
import Testing

/// What ``ProfileSigner`` signs, as a device reads it. The openssl command verifies it in the tests of the commands.
@Suite struct ProfileSignerTests {
    private static let profile = TestProfile.profile().xml
    private let certificates: TestCertificates
    /// Certificates are valid from the second of their making, which comes after this test has begun. On a busy machine it comes
    /// much later.
    private let now = Date().addingTimeInterval(600)

    init() throws { certificates = try TestCertificates() }

    private func signer(
        _ own: TestCertificates.Certificate, then others: [TestCertificates.Certificate] = [],
        key: Data? = nil, at time: Date? = nil
    ) throws -> ProfileSigner {
        try ProfileSigner(
            certificates: others.reduce(own.pem) { $0 + $1.pem },
            key: try key ?? Data(contentsOf: URL(fileURLWithPath: own.keyPath)), at: time ?? now)
    }

    private func reading(_ file: Data, vouchedBy pinned: TestCertificates.Certificate) throws -> ProfileReading {
        ProfileReading(file, signers: try SigningCertificates(pem: pinned.pem), requiresSignature: true)
    }

    @Test func `a device that knows the certificate, or its authority only, reads the profile`() throws {
        let root = try certificates.authority("Acme Root")
        let middle = try certificates.certificate(
            "Acme Middle", by: root, extensions: "basicConstraints=critical,CA:TRUE\nkeyUsage=critical,keyCertSign")
        let own = try certificates.certificate(
            "Acme Profile Signing", by: middle, extensions: "extendedKeyUsage=emailProtection")
        let signer = try signer(own, then: [middle])
        #expect(signer.name == "Acme Profile Signing")
        #expect(abs(signer.validUntil.timeIntervalSince(now) - 30 * 86_400) < 3_600)
        let file = try signer.sign(Self.profile, at: now)
        #expect(SignedProfile.isSigned(file))
        for pinned in [own, middle, root] {
            let reading = try reading(file, vouchedBy: pinned)
            #expect(reading.profile?.identifier == "test.acme.sso")
            #expect(reading.signer == "Acme Profile Signing")
            #expect(reading.errors.isEmpty)
        }
        let stranger = try certificates.authority("Other Root")
        let refused = try reading(file, vouchedBy: stranger)
        #expect(refused.profile == nil)
    }

    @Test func `a certificate that comes twice, or with its own authority's, is no matter`() throws {
        let own = try certificates.certificate("Acme Profile Signing")
        let file = try signer(own, then: [own]).sign(Self.profile, at: now)
        let reading = try reading(file, vouchedBy: own)
        #expect(reading.errors.isEmpty && reading.profile != nil)
    }

    @Test func `what cannot sign is refused with the reason`() throws {
        let own = try certificates.certificate("Acme Profile Signing")
        let other = try certificates.certificate("Other")
        let otherKey = try Data(contentsOf: URL(fileURLWithPath: other.keyPath))
        #expect(throws: ProfileSigner.Problem.foreignKey) { try signer(own, key: otherKey) }
        #expect(throws: ProfileSigner.Problem.noKey) { try signer(own, key: own.pem) }
        #expect(throws: ProfileSigner.Problem.noKey) { try signer(own, key: Data()) }
        #expect(throws: ProfileSigner.Problem.noCertificate) {
            try ProfileSigner(certificates: Data("-----BEGIN".utf8), key: otherKey, at: now)
        }
        let expired = try certificates.certificate("Expired", days: -1)
        #expect { try signer(expired) } throws: { error in
            if case ProfileSigner.Problem.expired? = error as? ProfileSigner.Problem { true } else { false }
        }
        #expect { try signer(own, at: now.addingTimeInterval(-86_400)) } throws: { error in
            if case ProfileSigner.Problem.notYetValid? = error as? ProfileSigner.Problem { true } else { false }
        }
    }

    @Test func `a certificate that ends later signs nothing from then on`() throws {
        let signer = try signer(try certificates.certificate("Acme Profile Signing"))
        #expect(throws: ProfileSigner.Problem.expired(signer.validUntil)) {
            try signer.sign(Self.profile, at: signer.validUntil)
        }
        _ = try signer.sign(Self.profile, at: signer.validUntil.addingTimeInterval(-1))
    }
}
