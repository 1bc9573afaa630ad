import LanyardAPI

/// Why a call did not succeed.
///
/// A request id, where there is one, is what to quote to the operator of the service: the same id is in its log.
public enum LanyardClientError: Error, Equatable, Sendable {
    /// An endpoint refused. `invalid_grant` on a refresh means that the consent is gone. The description is for
    /// developers.
    case oauth(ErrorCode, description: String? = nil, requestID: String?)
    /// The browser has come back with an answer to something else: to an older attempt, or to another browser's.
    case wrongState
    /// The browser has come back with something that is no answer of this protocol. The text is for logs.
    case malformedAnswer(String)
    /// A roster request was refused: 401 the consent is gone, 403 not allowed to read this, 404 no such record in the
    /// organization, 400 a parameter or page token that is not accepted, 5xx a failure of the service.
    case roster(status: Int, error: String?, message: String?, requestID: String?)
    /// Too many requests, and waiting was not enough or would have taken too long.
    case rateLimited(retryAfter: Duration?, requestID: String?)
    /// No answer: no connection, time-out, connection lost. The text is for logs.
    case transport(String)
    /// An answer that is not of this protocol, such as the error page of a proxy, or roster pages that do not end.
    case unexpectedAnswer(status: Int, String, requestID: String?)
    /// An identity token or a notification that must not be trusted.
    case invalidToken(TokenDefect)
    /// The configured private key is not a P-256 key in PEM.
    case invalidPrivateKey
}

/// What is wrong with something that claims to be signed by the service.
public enum TokenDefect: Equatable, Sendable {
    case malformed
    /// None that the service signs with: RS256, and in the standard profile ES256; or not the key's own.
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
