import HTTPTypes
import ServerPages

/// An error that a person sees as a page.
enum PageError: Error {
    /// The page was left open too long, or was opened in another browser.
    case expired
    /// The form is of another session of the browser, or came from elsewhere; nothing was changed. `from` is where a GET
    /// shows it again; nil if at the path that it was sent to.
    case staleForm(from: String?, typed: [String: String])
    case linkUsed
    case notFound

    var status: HTTPResponse.Status {
        switch self {
        case .expired, .staleForm: .badRequest
        case .linkUsed: .gone
        case .notFound: .notFound
        }
    }

    var cause: ErrorPage.Cause {
        switch self {
        case .expired: .expired
        case .staleForm: .staleForm
        case .linkUsed: .linkUsed
        case .notFound: .notFound
        }
    }
}
