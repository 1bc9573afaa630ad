import Foundation
import SingleSignOn

/// A profile in a file that was named on the command line.
enum ProfileFile {
    /// As much as a profile can have and a byte more: what is larger is refused where it is read, and some files have no end.
    /// - Throws: ``Failure`` if it cannot be opened.
    static func data(_ path: String) throws -> Data {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            throw Failure("\(path) cannot be read: \(String(cString: strerror(errno))).")
        }
        let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        guard let data = try? file.read(upToCount: SignedProfile.bytesMax + 1) ?? Data() else {
            throw Failure("\(path) cannot be read: it is no file.")
        }
        return data
    }

    /// - Parameter signers: files with certificates. If there are any, one of those has to vouch for the profile.
    /// - Throws: ``Failure`` if a file cannot be opened, or has no certificate.
    static func read(
        _ path: String, signers: [String] = [], beside installed: [Profile] = []
    ) throws -> ProfileReading {
        let certificates = try signers.reduce(SigningCertificates.none) { certificates, signer in
            do {
                return certificates + (try SigningCertificates(pem: try data(signer)))
            } catch let problem as SigningCertificates.Problem {
                throw Failure("\(signer): \(problem)")
            }
        }
        return ProfileReading(
            try data(path), signers: certificates, requiresSignature: !signers.isEmpty, beside: installed)
    }

    /// Profiles that have no errors, each beside those before it.
    static func readAll(_ paths: [String]) throws -> [Profile] {
        try paths.reduce(into: []) { profiles, path in
            let reading = try read(path, beside: profiles)
            guard let profile = reading.profile else {
                throw Failure("\(path) has errors:\n" + reading.errors.map { "  \($0)" }.joined(separator: "\n"))
            }
            profiles.append(profile)
        }
    }
}
