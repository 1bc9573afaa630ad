import Authorization
import Directory
import HTTPTypes
import Hummingbird
import ServerPages
import Storage

/// Opens the pages of an account to the person who is signed in; others are sent to the sign-in page first.
struct AccountDoor: Sendable {
    let sessions: SessionReader
    let pages: PageResponder

    /// A person who visits a page of their account.
    struct Visit: Sendable {
        let request: Request
        let context: AppContext
        let visitor: Visitor
        let session: BrowserSession

        var person: Person { session.person }
        var origin: Origin { .request(context) }
    }

    /// - Parameter path: the path of the page, to which the person returns after signing in.
    func open(
        _ request: Request, _ context: AppContext, at path: String, _ show: (Visit) async throws -> Response
    ) async throws -> Response {
        try await enter(request, context, pages.visitor(of: request), at: path, show)
    }

    /// As `open`, for a form on the page.
    func submit(
        _ request: Request, _ context: AppContext, at path: String,
        _ act: (Visit, RequestParameters) async throws -> Response
    ) async throws -> Response {
        let visitor = pages.visitor(of: request)
        let form = try await request.formParameters(context)
        try visitor.check(form, from: path)
        return try await enter(request, context, visitor, at: path) { try await act($0, form) }
    }

    /// As ``submit(_:_:at:_:)``, for a form with files.
    /// - Parameter bytesMax: how long the form may be.
    func receive(
        _ request: Request, _ context: AppContext, at path: String, bytesMax: Int,
        _ act: (Visit, AnnouncedUpload) async throws -> Response
    ) async throws -> Response {
        let visitor = pages.visitor(of: request)
        let upload = AnnouncedUpload(request: request, visitor: visitor, path: path, bytesMax: bytesMax)
        return try await enter(request, context, visitor, at: path) { try await act($0, upload) }
    }

    /// A form with files of which nothing was read yet.
    struct AnnouncedUpload: Sendable {
        fileprivate let request: Request
        fileprivate let visitor: Visitor
        fileprivate let path: String
        fileprivate let bytesMax: Int

        /// Reads the fields, and checks that the form is one of ours.
        /// - Parameter limit: how long the form may be if that is less than what the page says.
        /// - Throws: ``Upload/Failure``, ``PageError/staleForm(from:typed:)``
        func begin(
            atMost limit: Int = .max
        ) async throws -> (fields: RequestParameters, files: Upload) {
            let upload = try Upload(request, bytesMax: min(bytesMax, limit))
            let form = try await upload.fields()
            try visitor.check(form, from: path)
            return (form, upload)
        }
    }

    private func enter(
        _ request: Request, _ context: AppContext, _ visitor: Visitor, at path: String,
        _ body: (Visit) async throws -> Response
    ) async throws -> Response {
        guard let session = try await sessions.session(of: visitor) else {
            return .seeOther(AccountOffers.signInPath(then: path))
        }
        if session.mustChangePassword { return .seeOther(ChangePasswordRoutes.path(then: path)) }
        return try await body(Visit(request: request, context: context, visitor: visitor, session: session))
    }

    func respond(
        with page: some Page, status: HTTPResponse.Status = .ok, at path: String, _ visit: Visit
    ) -> Response {
        pages.respond(
            with: page, status: status, to: visit.request, visit.context, visitor: visit.visitor, currentPath: path,
            openerPolicy: .isolated)
    }
}
