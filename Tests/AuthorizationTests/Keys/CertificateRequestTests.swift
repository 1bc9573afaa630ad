import Authorization
import Crypto
import Foundation
import Testing

/// The requests are OpenSSL's own, made by its command line for the test.
@Suite struct CertificateRequestTests {
    private struct NoOpenSSL: Error {}

    private func openssl(_ arguments: String...) throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/openssl")
        process.arguments = arguments
        process.standardError = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw NoOpenSSL() }
    }

    private func withFolder(_ body: (String) throws -> Void) throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("lanyard-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try body(folder.path)
    }

    private func problem(_ pem: String, _ key: P256.Signing.PublicKey) -> String? {
        do {
            try CertificateRequest.check(pem, isFor: Array(key.x963Representation))
            return nil
        } catch {
            return "\(error)"
        }
    }

    @Test func `a request shows that its maker has the key, and no other key`() throws {
        try withFolder { folder in
            let (key, file, request) = (P256.Signing.PrivateKey(), "\(folder)/key.pem", "\(folder)/request.pem")
            try key.pemRepresentation.write(toFile: file, atomically: true, encoding: .utf8)
            try openssl("req", "-new", "-key", file, "-subj", "/CN=laptop", "-out", request)
            let pem = try String(contentsOfFile: request, encoding: .utf8)
            #expect(problem(pem, key.publicKey) == nil)
            #expect(problem(pem.replacingOccurrences(of: "\n", with: "\r\n"), key.publicKey) == nil)
            #expect(problem(pem, P256.Signing.PrivateKey().publicKey) == "it is for another key than publicKey")
            // The last byte of the signature.
            var der = try #require(
                Data(base64Encoded: pem.split(separator: "\n").dropFirst().dropLast().joined()))
            der[der.count - 1] ^= 1
            let forged = """
                -----BEGIN CERTIFICATE REQUEST-----
                \(der.base64EncodedString())
                -----END CERTIFICATE REQUEST-----
                """
            #expect(problem(forged, key.publicKey) == "its own key has not signed it")
            try openssl("genrsa", "-out", file, "2048")
            try openssl("req", "-new", "-key", file, "-subj", "/CN=laptop", "-out", request)
            #expect(
                problem(try String(contentsOfFile: request, encoding: .utf8), key.publicKey)
                    == "it is for another key than publicKey")
        }
    }

    @Test(arguments: [
        "", "hello", "-----BEGIN CERTIFICATE REQUEST-----\n-----END CERTIFICATE REQUEST-----",
        "-----BEGIN CERTIFICATE REQUEST-----\nAAAA\n-----END CERTIFICATE REQUEST-----",
        "-----BEGIN CERTIFICATE-----\nMAA=\n-----END CERTIFICATE-----", "\u{0}", "-----BEGIN CERTIFICATE REQUEST-----",
    ])
    func `what is no request is refused`(pem: String) {
        #expect(problem(pem, P256.Signing.PrivateKey().publicKey)?.hasPrefix("it is no PKCS #10") == true)
    }
}
