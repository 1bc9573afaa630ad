import CommandOutput
import Crypto
import CryptoExtras

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

#if canImport(Glibc)
    import Glibc
#endif

/// The RSA key that signs the extension for Chromium, and from which its id is derived.
struct SigningIdentity {
    private let key: _RSA.Signing.PrivateKey

    /// - Returns: nil if there is no file.
    static func read(_ path: String) throws -> SigningIdentity? {
        guard FileManager.default.fileExists(atPath: path) else { return nil }
        guard let text = try? String(contentsOfFile: path, encoding: .utf8) else {
            throw Failure("\(path) cannot be read.")
        }
        guard let key = try? _RSA.Signing.PrivateKey(pemRepresentation: text) else {
            throw Failure("\(path) is no RSA key in PEM. Make one with: openssl genrsa -out \(path) 2048")
        }
        return SigningIdentity(key: key)
    }

    /// Makes a new key in a new file that only its owner can read.
    static func make(_ path: String) throws -> SigningIdentity {
        let identity = try unsaved()
        let folder = InstalledFiles.folder(of: path)
        do {
            if !folder.isEmpty {
                try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            }
        } catch {
            throw Failure("\(folder) cannot be made.")
        }
        let file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw Failure("\(path) cannot be written: \(String(cString: strerror(errno))).") }
        defer { close(file) }
        guard writeAll(identity.key.pemRepresentation.utf8, to: file) else {
            throw Failure("\(path) cannot be written: \(String(cString: strerror(errno))).")
        }
        return identity
    }

    static func unsaved() throws -> SigningIdentity {
        SigningIdentity(key: try _RSA.Signing.PrivateKey(keySize: .bits2048))
    }

    /// SubjectPublicKeyInfo, DER.
    var publicKey: Data { key.publicKey.derRepresentation }

    var extensionID: String { Self.extensionID(ofPublicKey: publicKey) }

    /// The first 128 bits of the key's SHA-256 in hexadecimal, with `a` to `p` as digits.
    static func extensionID(ofPublicKey key: Data) -> String {
        String(decoding: idBytes(key).flatMap { [97 + $0 >> 4, 97 + $0 & 15] }, as: UTF8.self)
    }

    private static func idBytes(_ key: Data) -> Data { Data(SHA256.hash(data: key).prefix(16)) }

    /// A package in the CRX3 format: a header with the signature, then the ZIP archive. The fields are defined in
    /// `components/crx_file/crx3.proto` of Chromium's source.
    func chromiumPackage(of zip: Data) throws -> Data {
        let signed = ProtobufBytes.field(1, Self.idBytes(publicKey))
        let length = withUnsafeBytes(of: UInt32(signed.count).littleEndian) { Data($0) }
        let message = Data("CRX3 SignedData\0".utf8) + length + signed + zip
        let signature = try key.signature(for: SHA256.hash(data: message), padding: .insecurePKCS1v1_5)
        let proof = ProtobufBytes.field(1, publicKey) + ProtobufBytes.field(2, signature.rawRepresentation)
        let header = ProtobufBytes.field(2, proof) + ProtobufBytes.field(10_000, signed)
        let numbers = [3, UInt32(header.count)].map { number in withUnsafeBytes(of: number.littleEndian) { Data($0) } }
        return Data("Cr24".utf8) + numbers[0] + numbers[1] + header + zip
    }
}

/// The only part of Protocol Buffers that the header needs: a field of type `bytes`.
private enum ProtobufBytes {
    static func field(_ number: UInt64, _ bytes: Data) -> Data {
        varint(number << 3 | 2) + varint(UInt64(bytes.count)) + bytes
    }

    private static func varint(_ value: UInt64) -> Data {
        var bytes = Data()
        var rest = value
        while rest >= 0x80 {
            bytes.append(UInt8(rest & 0x7F) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(rest))
        return bytes
    }
}
