import Administration
import Directory
import Foundation
import Ground
import NIOHTTP1
import Storage

@testable import ServerHTTP

/// Carries out operations over the API of a server, with an access token.
struct APIAdministrator: Administrating {
    let browser: Browser
    let token: String
    /// The id of the organization in which the token counts.
    let organization: String

    /// The answer to a request that the server has refused.
    struct Refusal: Error, CustomStringConvertible {
        let answer: Answer
        var description: String { answer.line }
    }

    func ask<I: Inquiry>(_ inquiry: I, in organization: OrganizationReference) async throws -> I.Answer {
        try decode(try await send(try OperationRequest(inquiry), in: organization))
    }

    func perform<C: Change>(
        _ change: C, in organization: OrganizationReference, ifVersion version: String?
    ) async throws -> Done<C.Answer> {
        let answer = try await send(try OperationRequest(change), in: organization, ifVersion: version)
        guard answer.status == 202 else { return try decode(answer) }
        return try await result(of: change, at: answer.location)
    }

    func preview<C: Change>(
        _ change: C, in organization: OrganizationReference, ifVersion version: String?
    ) async throws -> Preview {
        try decode(
            try await send(
                try OperationRequest(change), in: organization, ifVersion: version, [FormField("dryRun", "true")]))
    }

    func undo(_ change: Int64, in organization: OrganizationReference) async throws -> [Effect] {
        let answer = try await send(.POST, prefix(.organization, organization) + "changes/\(change)/undo")
        return try decode(answer, as: UndoAnswer.self).effects
    }

    /// What a job has done, once it has ended.
    private func result<C: Change>(of _: C, at path: String) async throws -> Done<C.Answer> {
        for _ in 0..<2_000 {
            let answer = try await send(.GET, path)
            let job: JobRecord = try decode(answer)
            if let done = try job.done(C.self) { return done }
            guard job.endedAt == nil else { throw Refusal(answer: answer) }
            try await Task.sleep(for: .milliseconds(10))
        }
        throw APIUser.NeverEnded()
    }

    private func send(
        _ request: OperationRequest, in organization: OrganizationReference, ifVersion version: String? = nil,
        _ query: [FormField] = []
    ) async throws -> Answer {
        var headers: [String: String] = [:]
        if let version { headers["If-Match"] = "\"\(version)\"" }
        if request.body != nil { headers["Content-Type"] = "application/json" }
        let fields = request.query + query
        let method: HTTPMethod =
            switch request.method {
            case .get: .GET
            case .post: .POST
            case .delete: .DELETE
            }
        return try await send(
            method,
            prefix(request.root, organization) + request.path
                + (fields.isEmpty ? "" : "?" + FormEncoding.encode(fields)),
            headers, request.body.map { String(decoding: $0, as: UTF8.self) })
    }

    /// - Throws: ``Refusal``
    private func send(
        _ method: HTTPMethod, _ path: String, _ headers: [String: String] = [:], _ body: String? = nil
    ) async throws -> Answer {
        let answer = try await browser.send(
            method, path, headers.merging(["Authorization": "Bearer \(token)"]) { first, _ in first }, body: body)
        guard (200..<300).contains(answer.status) else { throw Refusal(answer: answer) }
        return answer
    }

    private func prefix(_ root: OperationRoute.Root, _ organization: OrganizationReference) -> String {
        guard root == .organization else { return "/api/v1/" }
        let name = if case .named(let text) = organization { text } else { self.organization }
        return "/api/v1/organizations/\(FormEncoding.escape(name))/"
    }

    private func decode<T: Decodable>(_ answer: Answer, as type: T.Type = T.self) throws -> T {
        try JSONDecoder.administration.decode(type, from: Data(answer.body.utf8))
    }
}

extension APIAdministrator {
    /// Makes an access token for each of the people, as they have who have signed in at a terminal. It limits nobody.
    static func tokens(
        for people: [Person], in database: any Database, until end: Date, from surroundings: Surroundings
    ) async throws -> [String] {
        let tokens = people.map { _ in Secret(from: surroundings) }
        let privileges = Privilege.allCases.map(\.rawValue).joined(separator: " ")
        try await database.write { transaction in
            for (person, token) in zip(people, tokens) {
                try transaction.execute(
                    """
                    INSERT INTO api_token (token_hash, expires_at, person_id, sign_in_version, privileges)
                    SELECT $1, $2, id, sign_in_version, $3 FROM person WHERE id = $4
                    """, [token.hash, end, privileges, person.id])
            }
        }
        return tokens.map(\.text)
    }
}
