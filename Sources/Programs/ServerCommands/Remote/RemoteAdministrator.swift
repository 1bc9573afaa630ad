import Administration
import AsyncHTTPClient
import CommandOutput
import Foundation
import Ground
import NIOHTTP1

/// Carries out operations on a server, over its API, in the name of the person or program that has signed in there.
struct RemoteAdministrator: Administrating {
    private let connection: ServerConnection
    private let access: SignedInServers.Access
    private let surroundings: Surroundings
    private let progress: @Sendable (_ done: Int, _ of: Int) -> Void

    /// - Parameter progress: is told how far slow work has come.
    /// - Throws: ``Failure`` if there is no sign-in to the server.
    init(
        of server: ServerAddress, surroundings: Surroundings,
        progress: @escaping @Sendable (_ done: Int, _ of: Int) -> Void = { _, _ in }
    ) throws {
        self.progress = progress
        connection = ServerConnection(server: server)
        access = try SignedInServers().access(to: server, at: surroundings.now())
        self.surroundings = surroundings
    }

    func ask<I: Inquiry>(_ inquiry: I, in organization: OrganizationReference) async throws -> I.Answer {
        try decode(try await send(try OperationRequest(inquiry), in: organization).body)
    }

    func perform<C: Change>(
        _ change: C, in organization: OrganizationReference, ifVersion version: String?
    ) async throws -> Done<C.Answer> {
        let answer = try await send(try OperationRequest(change), in: organization, ifVersion: version)
        guard answer.status == 202 else { return try decode(answer.body) }
        return try await result(of: try decode(answer.body), in: organization)
    }

    func preview<C: Change>(
        _ change: C, in organization: OrganizationReference, ifVersion version: String?
    ) async throws -> Preview {
        try decode(
            try await send(
                try OperationRequest(change), in: organization, ifVersion: version, query: [FormField("dryRun", "true")]
            ).body)
    }

    func undo(_ change: Int64, in organization: OrganizationReference) async throws -> [Effect] {
        struct Undone: Decodable { let effects: [Effect] }
        // Whoever belongs to no organization has only changes of teams, and the server finds them by their numbers.
        let isInOrganization = organization != .only || !access.organization.isEmpty
        let answer = try await send(
            .POST, "changes/\(change)/undo", below: isInOrganization ? .organization : .server, in: organization,
            ["Idempotency-Key": newKey])
        return try decode(answer.body, as: Undone.self).effects
    }

    /// Waits until a job has ended.
    private func result<Answer: Decodable>(of job: JobRecord, in organization: OrganizationReference) async throws
        -> Answer
    {
        var (job, pause) = (job, Duration.milliseconds(100))
        while job.endedAt == nil {
            try await Task.sleep(for: pause)
            progress(job.done, job.total)
            pause = min(pause * 2, .seconds(2))
            job = try decode(
                try await send(.GET, "jobs/\(job.job)", below: .organization, in: organization, isRepeatable: true).body
            )
        }
        if let failure = job.failure { throw failure }
        guard let answer = job.answer else {
            throw Failure("The server has done it, but its answer was fetched before.")
        }
        return try decode(try JSONEncoder.administration.encode(answer))
    }

    private func send(
        _ request: OperationRequest, in organization: OrganizationReference, ifVersion version: String? = nil,
        query: [FormField] = []
    ) async throws -> ServerConnection.Answer {
        var headers: HTTPHeaders = [:]
        if let version { headers.add(name: "If-Match", value: "\"\(version)\"") }
        if request.body != nil { headers.add(name: "Content-Type", value: "application/json") }
        if request.method != .get { headers.add(name: "Idempotency-Key", value: newKey) }
        let fields = request.query + query
        return try await send(
            HTTPMethod(request.method), request.path + (fields.isEmpty ? "" : "?" + FormEncoding.encode(fields)),
            below: request.root, in: organization, headers, body: request.body, isRepeatable: true)
    }

    /// - Throws: ``OperationFailure`` for what the server refuses, ``Failure`` if it cannot be asked
    private func send(
        _ method: HTTPMethod, _ path: String, below root: OperationRoute.Root, in organization: OrganizationReference,
        _ headers: HTTPHeaders = [:], body: Data? = nil, isRepeatable: Bool = false
    ) async throws -> ServerConnection.Answer {
        var headers = headers
        headers.add(name: "Authorization", value: "Bearer \(access.accessToken)")
        let answer = try await connection.send(
            method, "/api/v1/" + (try prefix(root, organization)) + path, headers: headers,
            body: body, isRepeatable: isRepeatable)
        switch answer.status {
        case 200..<300: return answer
        case 401: throw Failure.signIn(to: connection.server)
        default: throw try failure(answer)
        }
    }

    private func prefix(_ root: OperationRoute.Root, _ organization: OrganizationReference) throws -> String {
        guard root == .organization else { return "" }
        let name: String
        if case .named(let text) = organization { name = text } else { name = access.organization }
        guard !name.isEmpty else {
            throw Failure("Your account belongs to no organization. With it you look after teams and their apps alone.")
        }
        return "organizations/\(FormEncoding.escape(name))/"
    }

    private func failure(_ answer: ServerConnection.Answer) throws -> any Error {
        guard let problem = try? JSONDecoder.administration.decode(Problem.self, from: answer.body) else {
            return Failure(
                "\(connection.server.text) has answered with status \(answer.status), and not as a Lanyard server does."
            )
        }
        return OperationFailure(problem)
            ?? Failure("\(problem.title). The server calls this request \(problem.requestID) in its log.")
    }

    private func decode<T: Decodable>(_ data: Data, as type: T.Type = T.self) throws -> T {
        do {
            return try JSONDecoder.administration.decode(type, from: data)
        } catch {
            throw Failure(
                "\(connection.server.text) has answered in another form than this lanyard knows. Are both of one version?"
            )
        }
    }

    /// A new key, by which the server recognizes a request that is repeated.
    private var newKey: String { surroundings.randomUUID().uuidString }
}

/// A refusal as the API writes it. RFC 9457.
private struct Problem: Decodable {
    let type: String
    let title: String
    let detail: String?
    let requestID: String
    let field: String?
    let choices: [String]?
    let subjectKind: OperationError.Kind?
    let remedy: OperationError.Remedy?
    let version: String?
    let items: [OperationFailure.Item]?
}

extension OperationFailure {
    /// - Returns: nil for what is no refusal of an operation, such as a defect of the server.
    fileprivate init?(_ problem: Problem) {
        guard let kind = Kind(rawValue: String(problem.type.dropFirst("urn:lanyard:problem:".count))) else {
            return nil
        }
        self.init(kind, problem.detail ?? problem.title)
        field = problem.field
        choices = problem.choices
        subjectKind = problem.subjectKind
        remedy = problem.remedy
        version = problem.version
        items = problem.items
    }
}

extension HTTPMethod {
    fileprivate init(_ method: OperationRoute.Method) {
        self =
            switch method {
            case .get: .GET
            case .post: .POST
            case .delete: .DELETE
            }
    }
}
