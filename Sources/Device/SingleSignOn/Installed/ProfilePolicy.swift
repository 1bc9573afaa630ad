#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The administrator's rules about profiles on a device: a JSON file that only root can write.
///
/// `{"allowUserProfiles": true, "signers": ["/etc/lanyard/sso/acme.pem"], "requireSignature": true, "managedApps":
/// ["com.example.App", "exe:/usr/bin/example"]}`; each key is optional. Without the file, profiles of users do not
/// count and signatures are not required. docs/specifications/extensible-single-sign-on.md, 1.15 and 12.3.
public struct ProfilePolicy: Equatable, Sendable {
    /// Whether profiles of users count.
    public var allowsUserProfiles = false
    /// The certificates whose signatures count.
    public var signers = SigningCertificates.none
    /// Whether a profile needs a signature by one of them.
    public var requiresSignature = false
    /// Bundle identifiers, as in the log, of callers that the organization manages.
    public var managedApps: Set<String> = []

    public init() {}

    /// Why a policy cannot be used. No profile counts then.
    public struct Problem: Error, Equatable, CustomStringConvertible {
        public let description: String
    }

    static let bytesMax = 64 << 10

    /// - Parameter path: the path of a file that may be absent.
    public init(at path: String) throws(Problem) {
        self.init()
        let data: Data
        do throws(FileProblem) {
            guard let file = try OwnedFile.read(path, by: .root, bytesMax: Self.bytesMax) else { return }
            data = file.data
        } catch {
            throw Problem(description: error.description)
        }
        try read(data, at: path)
    }

    private mutating func read(_ data: Data, at path: String) throws(Problem) {
        // A misspelt key would silently have no effect.
        let known: Set = ["allowUserProfiles", "signers", "requireSignature", "managedApps"]
        guard let keys = try? JSONDecoder().decode([String: Anything].self, from: data).keys else {
            throw Problem(description: "\(path) is no JSON object.")
        }
        if let unknown = keys.filter({ !known.contains($0) }).min() {
            let remedy = unknown.closest(in: known).map { "Did you mean \($0)?" } ?? "Leave it out."
            throw Problem(description: "\(path) has “\(unknown)”, which nobody knows here. \(remedy)")
        }
        guard let text = try? JSONDecoder().decode(Text.self, from: data) else {
            throw Problem(
                description: "In \(path) allowUserProfiles and requireSignature are true or false, signers is an "
                    + "array of paths, and managedApps one of identifiers.")
        }
        allowsUserProfiles = text.allowUserProfiles ?? false
        requiresSignature = text.requireSignature ?? false
        managedApps = Set(text.managedApps ?? [])
        for signer in text.signers ?? [] {
            do throws(FileProblem) {
                guard let file = try OwnedFile.read(signer, by: .root, bytesMax: Self.bytesMax) else {
                    throw FileProblem("\(signer) is not there; \(path) names it as a signer.")
                }
                signers = signers + (try Self.certificates(file.data, at: signer))
            } catch {
                throw Problem(description: error.description)
            }
        }
        if requiresSignature, signers.isEmpty {
            throw Problem(description: "\(path) asks for signatures and names no signers. Name their certificates.")
        }
    }

    private static func certificates(_ data: Data, at path: String) throws(FileProblem) -> SigningCertificates {
        do {
            return try SigningCertificates(pem: data)
        } catch {
            throw FileProblem("\(path): \(error)")
        }
    }

    private struct Text: Decodable {
        let allowUserProfiles: Bool?
        let signers: [String]?
        let requireSignature: Bool?
        let managedApps: [String]?
    }

    private struct Anything: Decodable {
        init(from decoder: any Decoder) {}
    }
}
