import SingleSignOnWire

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

public protocol ASAuthorizationCredential: Sendable {}

/// What an extension answered. For some operations everything is nil, and success itself is the answer.
///
/// The tokens are read from the response's body if that is JSON, and else from its headers, by the names
/// `access_token`, `id_token`, `state` and `scope`; they are never guessed from a page.
/// docs/specifications/extensible-single-sign-on.md, 15.3 to 15.5.
public struct ASAuthorizationSingleSignOnCredential: ASAuthorizationCredential, Hashable {
    /// The request's `state`, if the extension returns it.
    public let state: String?
    public let accessToken: Data?
    /// A JWT. It has not been verified: verify it before you rely on it.
    public let identityToken: Data?
    /// The scopes that were granted, which may be fewer than were requested.
    public let authorizedScopes: [ASAuthorization.Scope]
    public let authenticatedResponse: ASAuthenticatedResponse?
    /// An addition of ours: Apple's credential has only the headers of the response.
    public let responseBody: Data?
    /// An addition of ours: the headers with which a credential extension ended an operation, for a request to the same
    /// host.
    public let authorizationHeaders: [HeaderField]
}

extension ASAuthorizationSingleSignOnCredential {
    /// - Returns: nil if the outcome is not a success.
    public init?(success outcome: BrokerOutcome) {
        guard let credential = try? Self(outcome) else { return nil }
        self = credential
    }

    /// - Throws: the error of an outcome that is not a success.
    init(_ outcome: BrokerOutcome) throws(ASAuthorizationError) {
        switch outcome.outcome {
        case .response: self.init(outcome.response, headers: [])
        case .headers: self.init(nil, headers: outcome.authorizationHeaders ?? [])
        case .empty: self.init(nil, headers: [])
        case .notHandled, .canceled, .failed: throw ASAuthorizationError(outcome)
        }
    }

    private init(_ response: WebResponse?, headers: [HeaderField]) {
        let values = response.map(TokenValues.init)
        state = values?["state"]
        accessToken = values?["access_token"].map { Data($0.utf8) }
        identityToken = values?["id_token"].map { Data($0.utf8) }
        authorizedScopes = (values?["scope"] ?? "").split(separator: " ").map { ASAuthorization.Scope(String($0)) }
        authenticatedResponse = response.map(ASAuthenticatedResponse.init)
        responseBody = response?.body
        authorizationHeaders = headers
    }
}

/// Reads texts of a response by name, from its JSON body or its headers.
struct TokenValues {
    private let object: [String: Value]?
    private let headers: [HeaderField]

    /// A member of the JSON object; anything but a string is read as nil instead of an error.
    private struct Value: Decodable {
        let text: String?

        init(from decoder: any Decoder) throws { text = try? decoder.singleValueContainer().decode(String.self) }
    }

    init(_ response: WebResponse) {
        let type = response.headers["content-type"]?.lowercased() ?? ""
        object =
            type.contains("html")
            ? nil : response.body.flatMap { try? JSONDecoder().decode([String: Value].self, from: $0) }
        headers = response.headers
    }

    subscript(_ name: String) -> String? {
        let text = if let object { object[name]?.text } else { headers[name] }
        return text.flatMap { $0.isEmpty ? nil : $0 }
    }
}

/// The head of the response with which an extension ended a request.
public struct ASAuthenticatedResponse: Hashable, Sendable {
    /// A URL of the same origin as the identity provider's.
    public let url: URL?
    public let statusCode: Int
    /// As they were sent; a name may occur several times.
    public let headerFields: [HeaderField]

    init(_ response: WebResponse) {
        url = URL(string: response.url)
        statusCode = response.status
        headerFields = response.headers
    }

    /// Values of one name are joined by commas.
    public var allHeaderFields: [String: String] {
        Dictionary(headerFields.map { ($0.name, $0.value) }) { "\($0), \($1)" }
    }

    /// - Parameter field: in any case.
    public func value(forHTTPHeaderField field: String) -> String? { headerFields[field] }
}
