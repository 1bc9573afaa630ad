import LanyardAPI

/// Why a call did not succeed.
///
/// If there is a request id, quote it to the operator of the service: the same id is in its log.
public enum LanyardClientError: Error, Equatable, Sendable {
    /// An endpoint has refused the request. `invalid_grant` on a refresh means that the consent has ended. The
    /// description is for developers.
    case oauth(ErrorCode, description: String? = nil, requestID: String?)
    /// The browser's answer belongs to another attempt: an older one, or one of another browser.
    case wrongState
    /// The browser's answer does not follow the protocol. The text is for logs.
    case malformedAnswer(String)
    /// A roster request was refused: 401 the consent has ended, 403 this may not be read, 404 no such record in the
    /// organization, 400 a parameter or page token is not accepted, 5xx the service has failed.
    case roster(status: Int, error: String?, message: String?, requestID: String?)
    /// Too many requests, and waiting was not enough or would have taken too long.
    case rateLimited(retryAfter: Duration?, requestID: String?)
    /// No answer: no connection, time-out, connection lost. The text is for logs.
    case transport(String)
    /// An answer that does not follow the protocol, such as the error page of a proxy, or roster pages without end.
    case unexpectedAnswer(status: Int, String, requestID: String?)
    /// An identity token or a notification that must not be trusted.
    case invalidToken(TokenDefect)
    /// The configured private key is not a P-256 key in PEM.
    case invalidPrivateKey
}

/// What is wrong with something that claims to be signed by the service.
public enum TokenDefect: Equatable, Sendable {
    case malformed
    /// Not an algorithm of the service (RS256, and ES256 in the standard profile), or not that of the key.
    case unsupportedAlgorithm
    case unknownKey
    case invalidSignature
    case wrongIssuer
    case wrongAudience
    case wrongNonce
    /// The token does not belong to the code or access token that it came with.
    case wrongHash
    /// The token is about another person than the one before.
    case wrongSubject
    case expired
    case issuedInTheFuture
}
