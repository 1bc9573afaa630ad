import HTTPTypes
import Hummingbird

/// Why a browser came back and nobody is signed in. By default it becomes a small page with a link to continue; an app
/// with pages of its own catches it in a middleware.
public struct SignInFailure: Error, HTTPResponseError {
    /// 400 if the browser's answer cannot sign anybody in, 502 if the service has failed.
    public let status: HTTPResponse.Status
    /// A sentence for the person.
    public let message: String
    /// The path at which the person can start again.
    public let path: String

    public func response(from request: Request, context: some RequestContext) throws -> Response {
        SmallPage(
            title: "Not signed in",
            content: """
                <h1>Not signed in</h1>
                <p>\(message.escapedForHTML)</p>
                <p><a href="\(path.escapedForHTML)">Sign in again</a></p>
                """
        ).response(status)
    }
}
