/// Why an app may not read what it asked for. A reason is for the log; a message is for the app's developer and
/// tells nothing of anybody's data.
package enum RosterRefusal: Error, Equatable, Sendable {
    /// The access token is malformed, expired or revoked.
    case invalidToken(String)
    /// The token is good, but not for this.
    case forbidden(String)
    /// `message` names the parameter.
    case badRequest(message: String)
    /// Also what belongs to another organization, and what the app's team has no id for.
    case notFound
    /// Seconds to wait, at least 1.
    case rateLimited(seconds: Int)
}
