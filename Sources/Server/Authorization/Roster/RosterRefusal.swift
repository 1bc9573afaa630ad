/// Why an app may not read what it asked for. A reason is for the log; a message is for the app's developer and
/// contains no personal data.
package enum RosterRefusal: Error, Equatable, Sendable {
    /// The access token is malformed, expired or revoked.
    case invalidToken(String)
    /// The token is valid, but does not give access to this.
    case forbidden(String)
    /// `message` names the parameter.
    case badRequest(message: String)
    /// There is no such record; or it belongs to another organization, or its id is not one of the app's team.
    case notFound
    /// Seconds to wait, at least 1.
    case rateLimited(seconds: Int)
}
