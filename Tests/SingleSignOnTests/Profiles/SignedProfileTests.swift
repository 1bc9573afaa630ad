import Foundation
import SingleSignOn
import SingleSignOnWire
import TestCertificates
import Testing

/// Profiles that the `openssl` command has signed.
@Suite struct SignedProfileTests {
    private static let profile = TestProfile.profile().xml
    private let certificates: TestCertificates
    private let authority: TestCertificates.Certificate
    private let signer: TestCertificates.Certificate

    init() throws {
        certificates = try TestCertificates()
        authority = try certificates.authority("Acme Root")
        signer = try certificates.certificate(
            "Acme Profile Signing", by: authority, extensions: "extendedKeyUsage=emailProtection")
    }

    private func reading(
        _ file: Data, vouchedBy pinned: [TestCertificates.Certificate], required: Bool = true
    ) throws -> ProfileReading {
        let signers = try pinned.reduce(SigningCertificates.none) { try $0 + SigningCertificates(pem: $1.pem) }
        return ProfileReading(file, signers: signers, requiresSignature: required)
    }

    private func refusal(_ file: Data, vouchedBy pinned: [TestCertificates.Certificate]) throws -> String {
        let reading = try reading(file, vouchedBy: pinned)
        #expect(reading.profile == nil && reading.signer == nil)
        return reading.errors.first?.description ?? ""
    }

    @Test(arguments: [
        ["-nodetach"], ["-nodetach", "-stream"], ["-nodetach", "-noattr"], ["-nodetach", "-md", "sha512"],
        ["-nodetach", "-keyid"],
    ])
    func `a signature by the organization's certificate, or by one that its authority made, counts`(
        _ options: [String]
    ) throws {
        let file = try certificates.sign(Self.profile, with: [signer], options: options)
        for pinned in [signer, authority] {
            let reading = try reading(file, vouchedBy: [pinned])
            #expect(reading.profile?.identifier == "test.acme.sso")
            #expect(reading.signer == "Acme Profile Signing")
            #expect(reading.errors.isEmpty)
        }
    }

    @Test func `a certificate that is given may be left out of the file, and stand among others, and in any text`()
        throws
    {
        let file = try certificates.sign(Self.profile, with: [signer], options: ["-nodetach", "-nocerts"])
        #expect(try reading(file, vouchedBy: [signer]).signer == "Acme Profile Signing")
        let other = try certificates.authority("Other Root")
        let bundle = Data("Acme\n".utf8) + other.pem + Data("\n# and\n".utf8) + signer.pem
        let signers = try SigningCertificates(pem: bundle)
        #expect(ProfileReading(file, signers: signers, requiresSignature: true).signer == "Acme Profile Signing")
        #expect(throws: SigningCertificates.Problem.noCertificate) { try SigningCertificates(pem: Data("x".utf8)) }
    }

    @Test func `a binary property list can be signed, and what is wrong in a signed profile is found`() throws {
        let wrong = TestProfile.profile(changing: ["PayloadUUID": nil]).xml
        let file = try certificates.sign(wrong, with: [signer])
        let reading = try reading(file, vouchedBy: [signer])
        #expect(reading.errors.map(\.keyPath) == ["PayloadUUID"])
        let none = try certificates.sign(Data("hello".utf8), with: [signer])
        #expect(try refusal(none, vouchedBy: [signer]).contains("no property list"))
    }

    @Test func `a signature by somebody else does not count, whatever the name`() throws {
        let impostor = try certificates.certificate("Acme Profile Signing")
        let file = try certificates.sign(Self.profile, with: [impostor])
        #expect(try refusal(file, vouchedBy: [authority, signer]).contains("nobody vouches"))
        // Every signer has to be trusted, not just one of them.
        let both = try certificates.sign(Self.profile, with: [signer, impostor])
        #expect(try refusal(both, vouchedBy: [authority]).contains("nobody vouches"))
        #expect(try refusal(Self.profile, vouchedBy: [authority]).contains("is not signed"))
        let otherAuthority = try certificates.authority("Acme Root")
        #expect(try refusal(certificates.sign(Self.profile, with: [signer]), vouchedBy: [otherAuthority]) != "")
    }

    @Test func `a certificate of the system's public authorities counts for nothing by itself`() throws {
        // An empty list of trusted signers must not mean that all are trusted.
        let file = try certificates.sign(Self.profile, with: [signer])
        #expect(ProfileReading(file, requiresSignature: true).profile == nil)
    }

    @Test
    func
        `a certificate that has expired, or is one of a web server, does not count; itself given, its use is no matter`()
        throws
    {
        let expired = try certificates.certificate("Acme Then", by: authority, days: -1)
        let file = try certificates.sign(Self.profile, with: [expired])
        #expect(try refusal(file, vouchedBy: [authority]).contains("not valid today"))
        #expect(try refusal(file, vouchedBy: [expired]).contains("not valid today"))

        let server = try certificates.certificate(
            "www.acme.test", by: authority, extensions: "extendedKeyUsage=serverAuth")
        let web = try certificates.sign(Self.profile, with: [server])
        #expect(try refusal(web, vouchedBy: [authority]).contains("not one for signing"))
        #expect(try reading(web, vouchedBy: [server]).signer == "www.acme.test")
    }

    @Test func `where no signature is asked for, one of a stranger is a warning, and the profile is read`() throws {
        let file = try certificates.sign(Self.profile, with: [signer])
        let reading = ProfileReading(file)
        #expect(reading.profile != nil && reading.signer == nil)
        #expect(reading.warnings.contains { $0.problem.contains("Acme Profile Signing") })
    }

    @Test
    func
        `a file that was changed, or has no content, or a weak digest, is refused even where no signature is asked for`()
        throws
    {
        let file = try certificates.sign(Self.profile, with: [signer])
        let place = try #require(file.firstRange(of: Data("id.acme.test".utf8))?.lowerBound)
        var changed = file
        changed[place] = UInt8(ascii: "o")
        #expect(ProfileReading(changed).errors.first?.problem.contains("changed after it was signed") == true)
        #expect(ProfileReading(file.dropLast(10)).errors.first?.problem.contains("damaged") == true)

        let detached = try certificates.sign(Self.profile, with: [signer], options: [])
        #expect(ProfileReading(detached).errors.first?.problem.contains("without the profile") == true)
        let weak = try certificates.sign(Self.profile, with: [signer], options: ["-nodetach", "-md", "sha1"])
        #expect(try refusal(weak, vouchedBy: [authority]).contains("can be forged"))
        let many = try certificates.sign(Self.profile, with: (0..<9).map { try certificates.certificate("\($0)") })
        #expect(try refusal(many, vouchedBy: [authority]).contains("signatures"))
    }

    @Test func `no damage to a signed file crashes anything, or passes for the signer's word`() throws {
        let file = try certificates.sign(Self.profile, with: [signer])
        let signers = try SigningCertificates(pem: authority.pem)
        var random = Generator(state: 0x5EED)
        for round in 0..<3_000 {
            var bytes = [UInt8](file)
            for _ in 0...(round % 4) {
                switch Int.random(in: 0..<4, using: &random) {
                case 0: bytes[Int.random(in: 0..<bytes.count, using: &random)] = .random(in: 0...255, using: &random)
                case 1: bytes.removeLast(Int.random(in: 0..<min(bytes.count, 200), using: &random))
                case 2:
                    let start = Int.random(in: 0..<bytes.count, using: &random)
                    bytes.removeSubrange(start..<min(bytes.count, start + 7))
                default:
                    // The outer lengths are near the beginning.
                    bytes[Int.random(in: 0..<min(40, bytes.count), using: &random)] = [0x80, 0x84, 0xFF, 0]
                        .randomElement(
                            using: &random)!
                }
                if bytes.count < 50 { break }
            }
            let data = Data(bytes)
            guard SignedProfile.isSigned(data),
                let signed = try? SignedProfile(data, certificates: signers), signed.voucher == .vouched
            else { continue }
            // The signature does not cover all bytes of the file, such as certificates that are not used.
            #expect(signed.content == Self.profile)
        }
    }

    /// Generates the same numbers in each run.
    private struct Generator: RandomNumberGenerator {
        var state: UInt64

        mutating func next() -> UInt64 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return (state ^ (state >> 29)) &* 0x9E37_79B9_7F4A_7C15
        }
    }
}
