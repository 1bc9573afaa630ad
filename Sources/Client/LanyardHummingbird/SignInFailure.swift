import HTTPTypes
import Hummingbird

/// Why a browser came back and nobody is signed in. As an answer it is a small page with a way on; an app with pages of its
/// own catches it in a middleware.
public struct SignInFailure: Error, HTTPResponseError {
    /// 400 if this answer cannot sign anybody in, 502 if the service did not do its part.
    public let status: HTTPResponse.Status
    /// A sentence for the person.
    public let message: String
    /// Where they can begin again.
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
