import CommandOutput
import Foundation
import SingleSignOn

extension Settings {
    private static let signingCertificate = "profileSigning.certificateFile"
    private static let signingKey = "profileSigning.keyFile"

    /// The key with which profiles for devices are signed; nil if none is set.
    /// - Throws: ``Failure`` if one of the two files is missing, cannot be read, or cannot be used.
    func profileSigner(at now: Date) throws -> ProfileSigner? {
        let (certificate, key) = (text(Self.signingCertificate), text(Self.signingKey))
        guard let certificate, let key else {
            guard certificate == nil, key == nil else {
                throw Failure(
                    "\(Self.signingCertificate) and \(Self.signingKey) belong together, and only one of them is set.")
            }
            return nil
        }
        let certificates = try Self.content(of: certificate, Self.signingCertificate)
        let keyBytes = try Self.content(of: key, Self.signingKey)
        let mode = try? FileManager.default.attributesOfItem(atPath: key)[.posixPermissions] as? NSNumber
        guard let mode, mode.intValue & 0o007 == 0 else {
            throw Failure(
                """
                Every user of this machine can use the file \(key) of \(Self.signingKey), and sign as you do. Run \
                `chmod o= \(key)`.
                """)
        }
        do {
            return try ProfileSigner(certificates: certificates, key: keyBytes, at: now)
        } catch {
            switch error {
            case .noKey, .lockedKey: throw Failure("The file \(key) of \(Self.signingKey): \(error)")
            default: throw Failure("The file \(certificate) of \(Self.signingCertificate): \(error)")
            }
        }
    }

    private static func content(of path: String, _ setting: String) throws -> Data {
        guard let content = FileManager.default.contents(atPath: path) else {
            throw Failure("The file \(path) of \(setting) cannot be read.")
        }
        return content
    }
}
