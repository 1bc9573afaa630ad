import CommandOutput
import SingleSignOn

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

#if canImport(Glibc)
    import Glibc
#endif

/// Reads profiles from files that are given on the command line.
enum ProfileFile {
    /// The content of the file, up to one byte more than a profile may have. That is enough to refuse a larger one, and
    /// ends also for files without an end. A pipe that nobody writes into fails after `patience`.
    /// - Throws: ``Failure`` if it cannot be read.
    static func data(_ path: String, patience: Duration = .seconds(5)) throws -> Data {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        guard descriptor >= 0 else {
            throw Failure("\(path) cannot be read: \(String(cString: strerror(errno))).")
        }
        defer { close(descriptor) }
        var data = Data()
        var part = [UInt8](repeating: 0, count: 65_536)
        while data.count <= SignedProfile.bytesMax {
            var question = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            let isReady = poll(&question, 1, Int32(patience.components.seconds * 1_000))
            if isReady < 0, errno == EINTR { continue }
            guard isReady > 0 else {
                throw Failure("\(path) cannot be read: nothing has come from it for \(patience). Name a file.")
            }
            let count = Glibc.read(descriptor, &part, part.count)
            if count < 0, errno == EINTR || errno == EAGAIN { continue }
            guard count >= 0 else { throw Failure("\(path) cannot be read: it is no file.") }
            guard count > 0 else { break }
            data.append(contentsOf: part[..<count])
        }
        return data.prefix(SignedProfile.bytesMax + 1)
    }

    /// - Parameter signers: files with certificates. If there are any, the profile must be signed by one of them.
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

    /// Reads several profiles, which must have no errors. Each is also checked against those before it.
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
