import Authorization
import HTTPTypes
import Hummingbird
import Storage

/// Why a roster call is refused. The format of the bodies is our own; clients depend on the status only.
enum RosterError: Error {
    /// `message` names the parameter.
    case badRequest(message: String)
    case unauthorized(reason: String)
    case forbidden(reason: String)
    case notFound
    case methodNotAllowed
    /// Seconds to wait, at least 1.
    case rateLimited(seconds: Int)
    /// The database cannot serve at the moment.
    case unavailable
    case internalError

    init(_ error: any Error) {
        self =
            switch error {
            case let error as RosterError: error
            case let refusal as RosterRefusal: Self(refusal)
            case let error as OAuthError: .badRequest(message: error.reason)
            case is MissingToken: .unauthorized(reason: "there is no bearer token")
            case is Unavailable: .unavailable
            case let error as HTTPError where error.status == .notFound: .notFound
            case let error as HTTPError where error.status == .methodNotAllowed: .methodNotAllowed
            case let error as HTTPError where error.status.kind == .clientError:
                .badRequest(message: error.body ?? "The request is malformed.")
            case DatabaseError.unstorableText: .badRequest(message: "The request holds a NUL byte.")
            default: .internalError
            }
    }

    private init(_ refusal: RosterRefusal) {
        self =
            switch refusal {
            case .invalidToken(let reason): .unauthorized(reason: reason)
            case .forbidden(let reason): .forbidden(reason: reason)
            case .badRequest(let message): .badRequest(message: message)
            case .notFound: .notFound
            case .rateLimited(let seconds): .rateLimited(seconds: seconds)
            }
    }

    var status: HTTPResponse.Status {
        switch self {
        case .badRequest: .badRequest
        case .unauthorized: .unauthorized
        case .forbidden: .forbidden
        case .notFound: .notFound
        case .methodNotAllowed: .methodNotAllowed
        case .rateLimited: .tooManyRequests
        case .unavailable: .serviceUnavailable
        case .internalError: .internalServerError
        }
    }

    var code: String {
        switch self {
        case .badRequest: "bad_request"
        case .unauthorized: "unauthorized"
        case .forbidden: "forbidden"
        case .notFound: "not_found"
        case .methodNotAllowed: "method_not_allowed"
        case .rateLimited: "too_many_requests"
        case .unavailable: "temporarily_unavailable"
        case .internalError: "internal_error"
        }
    }

    /// For the developer of the app. It contains no personal data.
    var message: String {
        switch self {
        case .badRequest(let message): message
        case .unauthorized: "The access token is missing, expired or revoked. Refresh it, or ask for consent again."
        case .forbidden: "The organization does not let this app read this."
        case .notFound: "There is no such record in the organization."
        case .methodNotAllowed: "The roster can only be read: use GET."
        case .rateLimited(let seconds): "Too many requests. Wait \(seconds) s, as the header X-Retry-After says."
        case .unavailable: "The server cannot read or store anything just now. Try again, as Retry-After says."
        case .internalError: "The server failed. Quote the request id to its operator."
        }
    }

    /// For the log.
    var reason: String {
        switch self {
        case .unauthorized(let reason), .forbidden(let reason): reason
        default: message
        }
    }
}
