import Administration
import CommandOutput
import Foundation
import ServerHTTP
import SingleSignOn
import SingleSignOnWire

/// The single sign-on profile with which an organization's devices sign in at this server, made from the server's
/// settings.
struct ServerProfile {
    /// Only the paths at which sign-in begins. Requests of programs, such as those to token endpoints, must not go to
    /// the extension.
    static let signInPaths = ["/auth/authorize", "/oidc/authorize", "/auth/oauth2/v2/authorize"]

    static let team = "LANYARD"
    static let app = "org.lanyard.openid"
    static let `extension` = "org.lanyard.openid.extension"

    let configuration: ServerConfiguration
    let organizationName: String

    /// - Throws: ``Failure`` if the server's association file does not allow the extension.
    func description(
        identifier: String?, displayName: String?, extensionIdentifier: String?, teamIdentifier: String?,
        hostAppIdentifier: String?, clientID: String?, data: [String: PropertyListValue]
    ) throws -> ProfileDescription {
        let team = teamIdentifier ?? Self.team
        let isOurs = extensionIdentifier == nil
        let sso = extensionIdentifier ?? Self.extension
        let app = hostAppIdentifier ?? (isOurs ? Self.app : nil)
        let names = ([app].compactMap { $0 } + [sso]).map { "\(team).\($0)" }
        guard names.contains(where: configuration.associatedApps.contains) else {
            throw Failure(
                """
                The server would not let this extension answer for it: none of \(names.joined(separator: ", ")) is among \
                its associatedApps. Add it to the setting, restart the server, then write the profile.
                """)
        }
        guard let host = URLComponents(string: configuration.baseURL)?.host else {
            throw Failure("The base URL \(configuration.baseURL) has no host.")
        }
        var extensionData = data
        extensionData["issuer"] = .string(configuration.standardIssuer)
        extensionData["deviceRegistration"] = .string("\(configuration.baseURL)/device-registration")
        extensionData["identityProviderHosts"] = .array([.string(host)])
        if let clientID { extensionData["clientID"] = .string(clientID) }
        return ProfileDescription(
            identifier: identifier ?? Self.identifier(of: host), displayName: displayName ?? organizationName,
            organization: organizationName, extensionIdentifier: sso, teamIdentifier: team,
            // One of the identifiers in the server's association file, so that the domain is approved for it.
            hostAppIdentifier: app ?? sso, urls: Self.signInPaths.map { configuration.baseURL + $0 },
            extensionData: extensionData)
    }

    /// An identifier in reverse DNS notation, such as `example.maple.id.sso`.
    private static func identifier(of host: String) -> String {
        let labels = host.trimmingCharacters(in: CharacterSet(charactersIn: "[]")).lowercased()
            .split { $0 == "." || $0 == ":" }
        return (labels.reversed() + ["sso"]).joined(separator: ".")
    }
}

extension ServerProfile {
    /// Makes the profile of an organization as the command does that writes it into a file.
    /// - Parameter signer: nil if profiles are not signed.
    static func maker(for configuration: ServerConfiguration, signer: ProfileSigner?) -> SignOnProfile {
        SignOnProfile { organization, now in
            guard !SettingsExamination.isLoopback(configuration.baseURL) else {
                throw SignOnProfile.Problem(
                    reason: "The server's base URL is \(configuration.baseURL), which no other device reaches.")
            }
            do {
                let profile = ServerProfile(configuration: configuration, organizationName: organization)
                let description = try profile.description(
                    identifier: nil, displayName: nil, extensionIdentifier: nil, teamIdentifier: nil,
                    hostAppIdentifier: nil, clientID: nil, data: [:])
                let xml = try description.checked().xml
                guard let signer else { return SignOnProfile.Made(content: xml, signature: nil) }
                return SignOnProfile.Made(
                    content: try signer.sign(xml, at: now),
                    signature: .init(signer: signer.name, validUntil: signer.validUntil))
            } catch {
                throw SignOnProfile.Problem(reason: "\(error)")
            }
        }
    }
}
