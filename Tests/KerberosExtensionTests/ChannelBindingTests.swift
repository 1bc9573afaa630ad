import Testing

@testable import KerberosExtension

/// Certificates that OpenSSL has made are in Tests/EndToEnd/kerberos/test_kerberos_channel_binding.py.
@Suite struct ChannelBindingTests {
    /// A certificate without content, of an algorithm.
    private func certificate(_ algorithm: [UInt8]) -> [UInt8] {
        let content = [0x30, 0x00] + [0x30, UInt8(algorithm.count)] + algorithm + [0x03, 0x01, 0x00]
        return [0x30, UInt8(content.count)] + content
    }

    private static let rsa: [UInt8] = [0x06, 0x09, 0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01]

    @Test func `the hash is that of the signature, and never an old one`() {
        // MD5, SHA-1 and SHA-256 by RSA; SHA-384; SHA-512.
        for (number, count) in [(4, 32), (5, 32), (11, 32), (12, 48), (13, 64)] as [(UInt8, Int)] {
            let binding = ChannelBinding(certificate: certificate(Self.rsa + [number, 0x05, 0x00]))
            #expect(binding?.data.count == "tls-server-end-point:".utf8.count + count)
            #expect(binding?.data.starts(with: "tls-server-end-point:".utf8) == true)
        }
    }

    @Test func `what is no certificate, or has no hash for this, binds to nothing`() {
        // Ed25519, and RSA with SHA-224.
        #expect(ChannelBinding(certificate: certificate([0x06, 0x03, 0x2b, 0x65, 0x70])) == nil)
        #expect(ChannelBinding(certificate: certificate(Self.rsa + [14, 0x05, 0x00])) == nil)
        let whole = certificate(Self.rsa + [11, 0x05, 0x00])
        for count in 0..<(whole.count - 3) { #expect(ChannelBinding(certificate: Array(whole.prefix(count))) == nil) }
        #expect(ChannelBinding(certificate: [UInt8](repeating: 0x30, count: 5000)) == nil)
    }
}
