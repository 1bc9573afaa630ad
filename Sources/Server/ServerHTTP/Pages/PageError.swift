import HTTPTypes
import ServerPages

/// An error that a person sees as a page.
enum PageError: Error {
    /// The page was left open too long, or was opened in another browser.
    case expired
    /// The form belongs to another session of the browser, or to another site; nothing was changed. `from` is the path
    /// at which a GET shows the form again; nil if it is the path to which the form was sent.
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
