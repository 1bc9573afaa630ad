import SingleSignOnWire

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A profile's `ExtensionData`. All keys are optional.
struct Settings: Sendable, Hashable {
    enum ClientAuthentication: String, Sendable, CaseIterable {
        case none
        case clientSecretBasic = "client_secret_basic"
        case clientSecretPost = "client_secret_post"
        case privateKeyJWT = "private_key_jwt"
    }

    /// The issuer's URL; nil if it is the URL of the request.
    var issuer: String?
    var clientID: String?
    var clientSecret: String?
    var clientAuthentication = ClientAuthentication.none
    var redirectURI: String?
    /// The person's user name, to fill into forms.
    var username: String?
    /// Hosts that belong to the provider, in addition to the request's host.
    var identityProviderHosts: [ProviderHost] = []
    /// Certificates in PEM that are trusted in addition to the system's.
    var certificateAuthorities: [String] = []
    var dpop = false
    /// The URL at which devices are paired.
    var deviceRegistration: String?

    struct Problem: Error, CustomStringConvertible {
        let key: String
        let remedy: String

        var description: String { "ExtensionData.\(key) of the profile cannot be used: \(remedy)" }
    }

    init() {}

    /// Ignores unknown keys, which may be meant for other software.
    /// - Throws: ``Problem`` for the first value that cannot be used.
    init(_ data: [String: PropertyListValue]) throws {
        func text(_ key: String) throws -> String? {
            guard let value = data[key] else { return nil }
            guard let text = value.text, !text.isEmpty else {
                throw Problem(key: key, remedy: "it is \(value.typeName); write a string that is not empty.")
            }
            return text
        }
        func texts(_ key: String) throws -> [String] {
            guard let value = data[key] else { return [] }
            guard let texts = value.elements?.map(\.text), !texts.contains(nil) else {
                throw Problem(key: key, remedy: "write an array of strings.")
            }
            return texts.compactMap { $0 }
        }
        func address(_ key: String) throws -> String? {
            guard let text = try text(key) else { return nil }
            guard let url = URL(string: text), url.origin != nil, url.isSafe else {
                throw Problem(
                    key: key,
                    remedy: "“\(text)” is no https URL that can be used; a host of another script is written as xn--….")
            }
            return text
        }
        issuer = try address("issuer")
        clientID = try text("clientID")
        clientSecret = try text("clientSecret")
        redirectURI = try text("redirectURI")
        username = try text("username")
        identityProviderHosts = try texts("identityProviderHosts").map { text in
            guard let host = ProviderHost(text) else {
                throw Problem(
                    key: "identityProviderHosts", remedy: "“\(text)” is no host; write one such as login.acme.test.")
            }
            return host
        }
        certificateAuthorities = try texts("certificateAuthorities")
        if certificateAuthorities.contains(where: { !$0.contains("-----BEGIN CERTIFICATE-----") }) {
            throw Problem(key: "certificateAuthorities", remedy: "write certificates in PEM.")
        }
        deviceRegistration = try address("deviceRegistration")
        if let value = data["dpop"] {
            guard let flag = value.flag else { throw Problem(key: "dpop", remedy: "write true or false.") }
            dpop = flag
        }
        if let name = try text("clientAuthentication") {
            guard let method = ClientAuthentication(rawValue: name) else {
                let names = ClientAuthentication.allCases.map(\.rawValue).joined(separator: ", ")
                throw Problem(key: "clientAuthentication", remedy: "“\(name)” is none of \(names).")
            }
            clientAuthentication = method
        } else if clientSecret != nil {
            clientAuthentication = .clientSecretBasic
        }
        if clientSecret == nil, [.clientSecretBasic, .clientSecretPost].contains(clientAuthentication) {
            throw Problem(key: "clientSecret", remedy: "clientAuthentication needs it, and it is missing.")
        }
    }
}
