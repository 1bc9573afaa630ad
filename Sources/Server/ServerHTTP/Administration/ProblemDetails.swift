import Administration
import Directory
import Foundation
import Ground
import HTTPTypes
import Hummingbird
import Storage

/// Why a call of the administration API failed, for programs and people. RFC 9457.
struct ProblemDetails: Encodable {
    /// `urn:lanyard:problem:` and the kind. A type never changes its meaning.
    let type: String
    let title: String
    let status: Int
    let detail: String?
    let requestID: String
    /// The input that is invalid.
    var field: String?
    /// Unambiguous texts for what an ambiguous reference can mean.
    var choices: [String]?
    /// The kind of record that is missing, or ambiguous.
    var subjectKind: OperationError.Kind?
    /// The operation that would make the refused one possible, and its subject.
    var remedy: OperationError.Remedy?
    /// The subject's version now.
    var version: String?
    /// The items that failed, of many.
    var items: [OperationFailure.Item]?

    private init(_ kind: Kind, _ status: HTTPResponse.Status, _ detail: String?, _ requestID: String) {
        type = "urn:lanyard:problem:\(kind.rawValue)"
        title = kind.title
        self.status = status.code
        self.detail = detail
        self.requestID = requestID
    }

    /// All kinds, which the description of the API lists.
    enum Kind: String, CaseIterable {
        case unauthorized
        case forbidden
        case notFound = "not-found"
        case methodNotAllowed = "method-not-allowed"
        case ambiguous
        case invalid
        case refused
        case stale
        case items
        case malformed
        case limited
        case unavailable
        case `internal`

        var title: String {
            switch self {
            case .unauthorized: "The access token is missing or not valid"
            case .forbidden: "A privilege is missing"
            case .notFound: "Not found"
            case .methodNotAllowed: "No such method"
            case .ambiguous: "Several are meant"
            case .invalid: "An input is not valid"
            case .refused: "Not possible as things are"
            case .stale: "Changed in the meantime"
            case .items: "Some items cannot be done"
            case .limited: "Too many requests"
            case .malformed: "The request cannot be read"
            case .unavailable: "Try again later"
            case .internal: "The server has failed"
            }
        }
    }

    init(_ error: any Error, requestID: String) {
        if let failure = OperationFailure(error) {
            self.init(failure, requestID)
            return
        }
        switch error {
        case is MissingToken: self.init(.unauthorized, .unauthorized, "There is no bearer token.", requestID)
        case let error as APIRateLimiter.Exceeded:
            self.init(.limited, .tooManyRequests, "Ask again in \(error.seconds) seconds.", requestID)
        case is Unavailable: self.init(.unavailable, .serviceUnavailable, nil, requestID)
        case let error as HTTPError where error.status == .notFound:
            self.init(.notFound, .notFound, "There is nothing at this path.", requestID)
        case let error as HTTPError where error.status == .methodNotAllowed:
            self.init(.methodNotAllowed, .methodNotAllowed, nil, requestID)
        case let error as HTTPError where error.status.kind == .clientError:
            self.init(.malformed, error.status, error.body, requestID)
        default: self.init(.internal, .internalServerError, nil, requestID)
        }
    }

    private init(_ failure: OperationFailure, _ requestID: String) {
        self.init(Kind(failure.kind), failure.kind.status, failure.detail, requestID)
        field = failure.field
        choices = failure.choices
        subjectKind = failure.subjectKind
        remedy = failure.remedy
        version = failure.version
        items = failure.items
    }

    func response() throws -> Response {
        var response = try Response.json(self, status: .init(code: status))
        response.headers[.contentType] = "application/problem+json"
        if status == 401 {
            response.headers[.wwwAuthenticate] =
                detail == "There is no bearer token." ? "Bearer" : #"Bearer error="invalid_token""#
        }
        if let version { response.headers[.eTag] = "\"\(version)\"" }
        return response
    }
}

extension ProblemDetails.Kind {
    init(_ kind: OperationFailure.Kind) {
        self =
            switch kind {
            case .unauthorized: .unauthorized
            case .forbidden: .forbidden
            case .notFound: .notFound
            case .ambiguous: .ambiguous
            case .invalid: .invalid
            case .refused: .refused
            case .stale: .stale
            case .items: .items
            case .unavailable: .unavailable
            }
    }
}

extension OperationFailure.Kind {
    fileprivate var status: HTTPResponse.Status {
        switch self {
        case .unauthorized: .unauthorized
        case .forbidden: .forbidden
        case .notFound: .notFound
        case .ambiguous, .refused: .conflict
        case .invalid, .items: .unprocessableContent
        case .stale: .preconditionFailed
        case .unavailable: .serviceUnavailable
        }
    }
}
