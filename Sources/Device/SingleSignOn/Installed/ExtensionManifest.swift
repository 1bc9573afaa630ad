#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The description of an extension in a JSON file: its identity, its program, and the domains that it claims.
///
/// ```json
/// {
///   "extensionIdentifier": "test.acme.signin.extension",
///   "hostAppIdentifier": "test.acme.signin",
///   "teamIdentifier": "ACME123456",
///   "displayName": "Acme Sign-In",
///   "executable": "/usr/libexec/acme-signin",
///   "associatedDomains": ["authsrv:id.acme.test"],
///   "acceptsManagedDomains": true
/// }
/// ```
///
/// It stands for Apple's code signature and entitlements. The file and the program must belong to root, so the team
/// identifier is vouched for by the administrator of the device. docs/specifications/extensible-single-sign-on.md, 7.2
/// to 7.8.
public struct ExtensionManifest: Equatable, Sendable {
    public let identity: ExtensionIdentity
    /// The name to show to people.
    public let displayName: String
    /// The absolute path of the extension's program.
    public let executable: String
    /// Arguments of the program.
    public let arguments: [String]

    public enum Problem: Error, Equatable, CustomStringConvertible {
        case notJSON(String)
        case empty(String)
        case tooLong(String)
        case malformedDomain(String)
        case relativeExecutable(String)

        public var description: String {
            switch self {
            case .notJSON(let reason): "It is no manifest: \(reason)."
            case .empty(let key): "“\(key)” is empty."
            case .tooLong(let key): "“\(key)” has more than 64 bytes."
            case .malformedDomain(let entry): "“\(entry)” in “associatedDomains” is not of the form authsrv:host."
            case .relativeExecutable(let path): "“executable” is “\(path)”: write the whole path, from the root."
            }
        }
    }

    private struct File: Decodable {
        var extensionIdentifier: String
        var hostAppIdentifier: String
        var teamIdentifier: String
        var displayName: String
        var executable: String
        var arguments: [String]?
        var associatedDomains: [String]?
        var acceptsManagedDomains: Bool?
    }

    public init(reading data: Data) throws(Problem) {
        let file: File
        do {
            file = try JSONDecoder().decode(File.self, from: data)
        } catch {
            throw .notJSON(DecodingProblem(error).description)
        }
        let named = [
            ("extensionIdentifier", file.extensionIdentifier), ("hostAppIdentifier", file.hostAppIdentifier),
            ("teamIdentifier", file.teamIdentifier), ("displayName", file.displayName),
        ]
        for (key, value) in named where value.isEmpty { throw .empty(key) }
        // It becomes the name of a folder.
        guard file.extensionIdentifier.utf8.count <= 64 else { throw .tooLong("extensionIdentifier") }
        guard file.executable.hasPrefix("/"), !file.executable.utf8.contains(0) else {
            throw .relativeExecutable(file.executable)
        }
        var domains: [AssociatedDomain] = []
        for entry in file.associatedDomains ?? [] {
            guard let domain = try? AssociatedDomain(entry) else { throw .malformedDomain(entry) }
            domains.append(domain)
        }
        identity = ExtensionIdentity(
            teamIdentifier: file.teamIdentifier, extensionIdentifier: file.extensionIdentifier,
            hostAppIdentifier: file.hostAppIdentifier, associatedDomains: domains,
            acceptsManagedDomains: file.acceptsManagedDomains ?? false)
        displayName = file.displayName
        executable = file.executable
        arguments = file.arguments ?? []
    }
}
