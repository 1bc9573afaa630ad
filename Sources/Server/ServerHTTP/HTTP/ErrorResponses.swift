import Administration
import Authorization
import Directory
import HTTPTypes
import Hummingbird
import LanyardAPI
import Logging
import NIOHTTP1
import ServerPages
import Storage

/// Turns errors into answers: for apps in the words of their protocol, for people as a page. The answer says what the
/// protocol allows; the log line with the same request id says which check failed.
struct ErrorResponses: RouterMiddleware {
    let pages: PageResponder

    func handle(
        _ request: Request, context: AppContext, next: (Request, AppContext) async throws -> Response
    ) async throws -> Response {
        do {
            return try await next(request, context)
        } catch {
            let error = Self.known(error)
            var response = try await respond(to: error, request: request, context: context)
            switch error {
            case let error as HTTPError where error.status == .methodNotAllowed:
                response.headers[.allow] = error.headers[.allow]
            case is Unavailable: response.headers[.retryAfter] = Unavailable.pause
            case let error as APIRateLimiter.Exceeded: response.headers[.retryAfter] = "\(error.seconds)"
            default: break
            }
            // The router leaves the body out of what a route answers to HEAD, not of an error.
            return request.method == .head ? response.createHeadResponse() : response
        }
    }

    /// Maps errors of libraries that have the same meaning to one of ours.
    private static func known(_ error: any Error) -> any Error {
        switch error {
        case let error as DatabaseError where error.mayPass: Unavailable(cause: error)
        // The body is incomplete or malformed, after a valid head.
        case is HTTPParserError: HTTPError(.badRequest)
        default: error
        }
    }

    private func respond(to error: any Error, request: Request, context: AppContext) async throws -> Response {
        switch Surface.manner(of: request.routedPath) {
        case .roster: return try roster(RosterError(error), cause: error, context)
        case .oauth(let profile): return try oauth(error, profile, context)
        case .device: return try device(error, context)
        case .administration: return try administration(error, context)
        case .page: return page(for: error, request: request, context: context)
        }
    }

    // MARK: Roster

    private func roster(_ error: RosterError, cause: any Error, _ context: AppContext) throws -> Response {
        log(cause, status: error.status, reason: error.reason, context)
        var response = try Response.json(
            RosterErrorBody(error: error.code, message: error.message, requestID: context.id), status: error.status)
        switch error {
        case .unauthorized:
            response.headers[.wwwAuthenticate] = cause is MissingToken ? "Bearer" : #"Bearer error="invalid_token""#
        case .rateLimited(let seconds):
            response.headers[.rosterRetryAfter] = String(seconds)
            response.headers[.retryAfter] = String(seconds)
        case .badRequest, .forbidden, .notFound, .methodNotAllowed, .unavailable, .internalError: break
        }
        return response
    }

    // MARK: OAuth

    /// An error in the words of OAuth 2.0. Every refusal has HTTP status 400, even `invalid_client`, as with the
    /// service that we are compatible with. Standard clients get 401 where RFC 6749 §5.2 and RFC 6750 §3 ask for it.
    private func oauth(_ error: any Error, _ profile: Profile, _ context: AppContext) throws -> Response {
        let status: HTTPResponse.Status
        let code: OAuthError.Code
        switch error {
        case let error as OAuthError:
            let isUnknown =
                profile.manners.unknownClientsGet401 && [.invalidClient, .invalidToken].contains(error.code)
            (status, code) = (isUnknown ? .unauthorized : .badRequest, error.code)
        case is MissingToken: return missingToken(context)
        case is Unavailable: (status, code) = (.serviceUnavailable, .temporarilyUnavailable)
        case let error as HTTPError where [.notFound, .methodNotAllowed].contains(error.status):
            (status, code) = (error.status, .invalidRequest)
        case let error as HTTPError where error.status.kind == .clientError:
            (status, code) = (.badRequest, .invalidRequest)
        case DatabaseError.unstorableText: (status, code) = (.badRequest, .invalidRequest)
        default: (status, code) = (.internalServerError, .serverError)
        }
        log(error, status: status, reason: (error as? OAuthError)?.reason, context)
        let description = profile.manners.describesErrors ? (error as? OAuthError)?.description : nil
        var response = try Response.json(
            ErrorResponse(error: ErrorCode(code), description: description), status: status)
        if status == .unauthorized {
            response.headers[.wwwAuthenticate] =
                code == .invalidToken ? #"Bearer error="invalid_token""# : #"Basic realm="Lanyard""#
        }
        return response
    }

    /// A request without a token gets the challenge without an error code. RFC 6750 §3.1.
    private func missingToken(_ context: AppContext) -> Response {
        log(MissingToken(), status: .unauthorized, reason: nil, context)
        return Response(status: .unauthorized, headers: [.wwwAuthenticate: "Bearer"])
    }

    // MARK: Administration

    private func administration(_ error: any Error, _ context: AppContext) throws -> Response {
        let problem = ProblemDetails(error, requestID: context.id)
        let reason = OperationFailure(error)?.reasonForLog ?? problem.detail
        log(error, status: .init(code: problem.status), reason: reason, context)
        return try problem.response()
    }

    // MARK: Devices

    private func device(_ error: any Error, _ context: AppContext) throws -> Response {
        let status: HTTPResponse.Status
        let body: ErrorResponse
        switch error {
        case let error as DeviceRefusal:
            status = error.status
            body = ErrorResponse(error: ErrorCode(rawValue: error.code), description: error.publicDescription)
        case let error as OAuthError:
            status = .badRequest
            body = ErrorResponse(error: ErrorCode(error.code), description: error.reason)
        case let error as HTTPError where error.status.kind == .clientError:
            (status, body) = (error.status, ErrorResponse(error: .invalidRequest))
        case DatabaseError.unstorableText:
            (status, body) = (.badRequest, ErrorResponse(error: .invalidRequest))
        case is Unavailable:
            status = .serviceUnavailable
            body = ErrorResponse(error: ErrorCode(.temporarilyUnavailable))
        default:
            (status, body) = (.internalServerError, ErrorResponse(error: .serverError))
        }
        log(error, status: status, reason: nil, context)
        var response = try Response.json(body, status: status)
        if case DeviceRefusal.tooManyAttempts(let seconds) = error { response.headers[.retryAfter] = String(seconds) }
        return response
    }

    // MARK: Pages

    private func page(for error: any Error, request: Request, context: AppContext) -> Response {
        let visitor = pages.visitor(of: request)
        if case PageError.staleForm(let page, let typed) = error, request.isOfOwnPage, !visitor.isNew {
            log(error, status: .seeOther, reason: "the form is of another session", context)
            // If the person has signed in in another tab, they go on.
            if request.routedPath == "/sign-in", visitor.sessionToken != nil { return .seeOther(page ?? "/") }
            return pages.lead(to: page ?? request.routedPath, carrying: .stale(typed: typed))
        }
        let status: HTTPResponse.Status
        let cause: ErrorPage.Cause
        var developerNote: String?
        switch error {
        case let error as PageError: (status, cause) = (error.status, error.cause)
        case let error as OAuthError:
            developerNote = "\(error.code.rawValue): \(error.reason)"
            (status, cause) =
                switch error.code {
                case .invalidClient: (.badRequest, .unknownApp)
                case .unauthorizedClient: (.badRequest, .unregisteredReturnURL)
                // This error also occurs on the way to the app's page, for example at the sign-in.
                case .invalidScope: (.badRequest, .scopesNotAllowed)
                default: (.badRequest, isOfApp(request) ? .invalidRequest : .unreadable)
                }
            if request.prefersJSON,
                let json = try? Response.json(
                    ErrorResponse(error: ErrorCode(error.code)), status: .badRequest)
            {
                log(error, status: status, reason: error.reason, context)
                return json
            }
        case is PasswordHasher.Overloaded: (status, cause) = (.serviceUnavailable, .tooManyRequests)
        case is Unavailable: (status, cause) = (.serviceUnavailable, .unavailable)
        case let error as HTTPError where [.notFound, .methodNotAllowed].contains(error.status):
            (status, cause) = (error.status, .notFound)
        case let error as HTTPError where error.status.kind == .clientError:
            (status, cause) = (error.status, isOfApp(request) ? .invalidRequest : .unreadable)
        case DatabaseError.unstorableText: (status, cause) = (.badRequest, .invalidRequest)
        // A part of the path that is no text names nothing. Within a page, the page says what was wrong.
        case OperationError.invalid: (status, cause) = (.notFound, .notFound)
        default: (status, cause) = (.internalServerError, .internalError)
        }
        log(error, status: status, reason: developerNote, context)
        let response = pages.respond(
            with: ErrorPage(
                cause, requestID: context.id, developerNote: developerNote, wayOn: wayOn(from: error, cause, request)),
            status: status, to: request, context, visitor: visitor)
        return status == .serviceUnavailable ? response.whileBusy() : response
    }

    /// Whether an app has sent the person here, who can then do nothing about the error.
    private func isOfApp(_ request: Request) -> Bool {
        request.routedPath.hasSuffix("/authorize")
            || ["/oidc/", "/connect/", "/continue/"].contains(where: request.routedPath.hasPrefix)
    }

    private func wayOn(from error: any Error, _ cause: ErrorPage.Cause, _ request: Request) -> ErrorPage.WayOn? {
        if case PageError.staleForm(let page, _) = error { return .init(.samePage, path: page ?? request.routedPath) }
        return [.notFound, .expired].contains(cause) ? .init(.startPage, path: "/") : nil
    }

    private func log(_ error: any Error, status: HTTPResponse.Status, reason: String?, _ context: AppContext) {
        if status.kind == .serverError {
            context.logger.error("failed", metadata: ["error": "\(error)"])
        } else {
            context.logger.notice("refused", metadata: ["reason": "\(reason ?? String(describing: error))"])
        }
    }
}

extension ErrorCode {
    fileprivate init(_ code: OAuthError.Code) { self.init(rawValue: code.rawValue) }
}
