import Administration
import Authorization
import Directory
import Foundation
import Ground
import HTTPTypes
import Hummingbird
import Storage

/// `/api/v1/…`: a route for each operation of the catalog, at its ``OperationRoute``, and the routes that serve all
/// operations.
struct AdministrationRoutes: Sendable {
    static let prefix = "/api/v1/"
    static let (jobPath, undoPath) = ("jobs/{job}", "changes/{change}/undo")

    let database: any Database
    let services: AdministrationServices
    let limiter: APIRateLimiter
    let description: OpenAPIDocument

    func mount(on router: some RouterMethods<AppContext>) {
        router.get("api/v1/openapi.json", use: openAPI)
        router.on(OperationRoute(.get, Self.jobPath), use: job)
        router.on(OperationRoute(.post, Self.undoPath), use: undo)
        router.on(OperationRoute(.post, Self.undoPath, below: .server), use: undo)
        for inquiry in OperationCatalog.inquiries { mount(inquiry, on: router) }
        for change in OperationCatalog.changes + OperationCatalog.bulk { mount(change, on: router) }
    }

    private func mount<I: Inquiry>(_: I.Type, on router: some RouterMethods<AppContext>) {
        let fields = OperationFields<I>()
        router.on(I.route) { request, context in
            let reception = try Reception(request, context, self)
            let inquiry = try await OperationInput(request, context, of: fields).decode()
            let answer = try await reception.administrator.ask(inquiry, in: reception.organization)
            return try reception.answer(answer, version: (answer as? any Versioned)?.version)
        }
    }

    private func mount<C: Change>(_: C.Type, on router: some RouterMethods<AppContext>) {
        let fields = OperationFields<C>()
        router.on(C.route) { request, context in
            let reception = try Reception(request, context, self)
            let (administrator, organization) = (reception.administrator, reception.organization)
            try await administrator.admit(C.self)
            let input = try await OperationInput(request, context, of: fields)
            let (change, version, key) = (try input.decode(), try request.expectedVersion, try request.requestKey)
            if input.isDryRun {
                let preview = try await administrator.preview(change, in: organization, ifVersion: version)
                return try reception.answer(preview, version: preview.version)
            }
            if change.takesLong || request.prefersJob && C.route.root == .organization {
                let job = try await administrator.begin(change, in: organization, ifVersion: version, once: key)
                return try await reception.accepted(job)
            }
            let done = try await administrator.perform(change, in: organization, ifVersion: version, once: key)
            return try reception.answer(done, version: (done.answer as? any Versioned)?.version)
        }
    }

    @Sendable private func job(_ request: Request, context: AppContext) async throws -> Response {
        let reception = try Reception(request, context, self)
        let job = try await reception.administrator.job(try context.pathInput("job"), in: reception.organization)
        return try reception.answer(job)
    }

    @Sendable private func undo(_ request: Request, context: AppContext) async throws -> Response {
        let reception = try Reception(request, context, self)
        let text = try context.parameters.require("change")
        guard let number = Int64(text) else { throw OperationError.notFound(.change, text, in: nil) }
        // Neither is passed over: a dry run would really undo.
        guard (request.uri.query ?? "").isEmpty, request.headers[.ifMatch] == nil else {
            throw OperationError.invalid(field: "query, or If-Match", reason: "is not known when a change is undone")
        }
        return try reception.answer(
            UndoAnswer(effects: try await reception.administrator.undo(number, in: reception.organization)))
    }

    @Sendable private func openAPI(_ request: Request, context: AppContext) throws -> Response {
        .json(bytes: description.bytes)
    }
}

/// What undoing a change has changed.
struct UndoAnswer: Codable, Sendable {
    let effects: [Effect]
}

/// The caller of a request, the organization if the path has one, and how many requests the caller has left.
private struct Reception: Sendable {
    let administrator: Administrator
    let organization: OrganizationReference
    private let name: String?
    private let allowance: APIRateLimiter.Allowance

    /// - Throws: ``MissingToken``, ``APIRateLimiter/Exceeded``, ``OperationError/invalid(field:reason:)``
    init(_ request: Request, _ context: AppContext, _ routes: AdministrationRoutes) throws {
        guard let token = request.bearerToken.map({ SecretHash(of: $0) }) else { throw MissingToken() }
        allowance = try routes.limiter.admit(token)
        administrator = Administrator(
            .token(token), from: .request(context), database: routes.database, services: routes.services)
        name = context.parameters.get("organization")
        organization = name == nil ? .only : .named(try context.pathInput("organization"))
    }

    func answer(_ value: some Encodable, version: String? = nil) throws -> Response {
        var response = try Response.json(value)
        if let version { response.headers[.eTag] = "\"\(version)\"" }
        allowance.note(on: &response)
        return response
    }

    /// The answer that the change will be done in the background. RFC 7240 §4.1.
    func accepted(_ job: String) async throws -> Response {
        var response = try answer(try await administrator.job(job, in: organization))
        response.status = .accepted
        response.headers[.location] = "\(AdministrationRoutes.prefix)organizations/\(name ?? "")/jobs/\(job)"
        response.headers[.preferenceApplied] = "respond-async"
        return response
    }
}

extension RouterMethods where Context == AppContext {
    /// Adds a route of the API.
    fileprivate func on(
        _ route: OperationRoute, use handler: @Sendable @escaping (Request, AppContext) async throws -> Response
    ) {
        on(RouterPath(String(route.fullPath.dropFirst())), method: .init(route.method), use: handler)
    }
}

extension HTTPRequest.Method {
    fileprivate init(_ method: OperationRoute.Method) {
        self =
            switch method {
            case .get: .get
            case .post: .post
            case .delete: .delete
            }
    }
}

extension HTTPField.Name {
    fileprivate static let prefer = Self("Prefer")!
    fileprivate static let preferenceApplied = Self("Preference-Applied")!
    fileprivate static let idempotencyKey = Self("Idempotency-Key")!
}

extension Request {
    /// The version in `If-Match`; nil without the header, and for `*`. RFC 9110 §13.1.1.
    /// - Throws: ``OperationError`` unless it is one entity tag.
    fileprivate var expectedVersion: String? {
        get throws {
            guard let header = headers[.ifMatch], header != "*" else { return nil }
            guard header.count > 2, header.hasPrefix("\""), header.hasSuffix("\""),
                !header.dropFirst().dropLast().contains("\"")
            else { throw OperationError.invalid(field: "If-Match header", reason: "is not one entity tag in quotes") }
            return String(header.dropFirst().dropLast())
        }
    }

    /// The key of the request, with or without the quotes of a structured field.
    /// draft-ietf-httpapi-idempotency-key-header §2.1.
    fileprivate var requestKey: RequestKey? {
        get throws {
            guard let header = headers[.idempotencyKey] else { return nil }
            let isQuoted = header.count > 1 && header.hasPrefix("\"") && header.hasSuffix("\"")
            guard let key = RequestKey(isQuoted ? String(header.dropFirst().dropLast()) : header) else {
                throw OperationError.invalid(
                    field: "Idempotency-Key header", reason: "is not 16 to 255 printable ASCII characters")
            }
            return key
        }
    }

    /// Whether the caller wants an immediate answer, and fetches the result later. RFC 7240 §4.1.
    fileprivate var prefersJob: Bool {
        headers[values: .prefer].contains { header in
            header.split(separator: ",").contains { $0.trimmingCharacters(in: .whitespaces) == "respond-async" }
        }
    }
}
