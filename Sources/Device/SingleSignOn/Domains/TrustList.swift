#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A file as the trust module of p11-kit reads it, with certificates and what each is trusted for.
/// [Its format](https://p11-glue.github.io/p11-glue/p11-kit/manual/trust-module.html): objects that begin with a line of their own, have
/// attributes such as `trusted: true`, and then a certificate or a public key in PEM. What only some purposes are trusted with is said by an
/// object of its own, an extension with the key that it is about. docs/decisions/0071-authorities-of-other-distributions.md.
struct TrustList {
    private let objects: [Object]

    private struct Object {
        var attributes: [String: String] = [:]
        /// The lines in PEM, with the first and the last.
        var block: [Substring] = []

        var certificate: Certificate? {
            guard ["certificate", nil].contains(attributes["class"]),
                block.first?.hasPrefix("-----BEGIN CERTIFICATE-----") == true
            else { return nil }
            return Certificate.all(inPEM: Data(block.joined(separator: "\n").utf8)).first
        }
    }

    init(_ text: String) {
        var objects: [Object] = []
        var isInBlock = false
        for line in text.split(separator: "\n") {
            if line.hasPrefix("[p11-kit-object-v1]") {
                objects.append(Object())
                isInBlock = false
            } else if objects.isEmpty || line.hasPrefix("#") {
                continue
            } else if isInBlock || line.hasPrefix("-----BEGIN ") {
                objects[objects.count - 1].block.append(line)
                isInBlock = !line.hasPrefix("-----END ")
            } else if let colon = line.firstIndex(of: ":") {
                let value = line[line.index(after: colon)...].trimmingPrefix(" ")
                objects[objects.count - 1].attributes[String(line[..<colon])] = String(value)
            }
        }
        self.objects = objects
    }

    /// The authorities that are trusted to vouch for servers.
    var authorities: [Certificate] {
        let others = keysForOtherPurposes
        return objects.compactMap { object in
            guard object.attributes["trusted"] == "true", object.attributes["x-distrusted"] != "true",
                let certificate = object.certificate, !others.contains(certificate.publicKey)
            else { return nil }
            return certificate
        }
    }

    /// All certificates, whatever they are trusted for.
    var certificates: [Certificate] { objects.compactMap(\.certificate) }

    /// The public keys (SubjectPublicKeyInfo, DER) of authorities whose purposes are listed, without that of vouching for servers. An
    /// extension that cannot be read excludes its key too.
    private var keysForOtherPurposes: Set<Data> {
        Set(
            objects.compactMap { object in
                guard object.attributes["class"] == "x-certificate-extension",
                    object.attributes["object-id"] == "2.5.29.37",
                    object.block.first?.hasPrefix("-----BEGIN PUBLIC KEY-----") == true,
                    let key = Data(base64Encoded: object.block.dropFirst().dropLast().joined())
                else { return nil }
                let value = Self.bytes(object.attributes["value"] ?? "")
                return Self.purposes.contains { !value.ranges(of: $0).isEmpty } ? nil : key
            })
    }

    /// `id-kp-serverAuth` and `anyExtendedKeyUsage` (RFC 5280, section 4.2.1.12), as object identifiers in DER.
    private static let purposes: [[UInt8]] = [
        [0x06, 0x08, 0x2b, 0x06, 0x01, 0x05, 0x05, 0x07, 0x03, 0x01], [0x06, 0x04, 0x55, 0x1d, 0x25, 0x00],
    ]

    /// A value in quotation marks, in which `%` and two hexadecimal digits stand for a byte.
    private static func bytes(_ quoted: String) -> [UInt8] {
        var rest = quoted.utf8.dropFirst().dropLast()
        var bytes: [UInt8] = []
        while let first = rest.popFirst() {
            guard first == UInt8(ascii: "%"),
                let byte = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16)
            else {
                bytes.append(first)
                continue
            }
            bytes.append(byte)
            rest = rest.dropFirst(2)
        }
        return bytes
    }
}
