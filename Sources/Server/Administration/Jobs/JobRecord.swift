import Authorization
import Directory
import Foundation
import Ground
import Storage

/// The state of a job, as its caller sees it.
package struct JobRecord: Codable, Sendable {
    package enum State: String, Codable, CaseIterable, Sendable {
        case waiting
        case running
        case done
        case failed
    }

    /// The id of the job.
    package let job: String
    package let operation: String
    package let state: State
    /// How many items are done, and how many there are; both are 0 until that is known.
    package let done: Int
    package let total: Int
    package let createdAt: Date
    package let endedAt: Date?
    package let failure: OperationFailure?
    /// The answer of the change: ``Done`` as JSON. It is kept for an hour after the end.
    package let answer: JSONValue?

    /// What the change has done, if it was a `C`; nil as long as it is not done, and when its answer is not kept any
    /// more.
    package func done<C: Change>(_: C.Type) throws -> Done<C.Answer>? {
        guard operation == C.name, let answer else { return nil }
        return try JSONDecoder.administration.decode(
            Done<C.Answer>.self, from: try JSONEncoder.administration.encode(answer))
    }

    /// - Parameter caller: only the caller who began a job may see it, because its answer can contain passwords.
    static func find(
        _ job: String, of caller: Actor, _ services: AdministrationServices, in transaction: some Transaction
    ) throws -> JobRecord {
        let found = try transaction.first(
            "SELECT \(columns), reply FROM administration_job WHERE public_id = $1 AND caller = $2", [job, caller.text]
        ) { row in
            let reply: [UInt8]? = try row["reply"]
            return try JobRecord(
                row,
                answer: try reply.map {
                    try JSONValue(reading: try services.opened($0, for: "administration_job \(job)"))
                })
        }
        guard let found else { throw OperationError.notFound(.job, job, in: nil) }
        return found
    }

    /// The last jobs that have not ended, or whose answer is still there, and those that have failed as lately; the
    /// newest first.
    static func list(
        _ operation: String, in organization: OrganizationID, of caller: Actor, at now: Date,
        _ transaction: some Transaction
    ) throws -> [JobRecord] {
        try transaction.all(
            """
            SELECT \(columns) FROM administration_job
            WHERE organization_id = $1 AND caller = $2 AND operation = $3
              AND (ended_at IS NULL OR reply IS NOT NULL OR failure IS NOT NULL AND ended_at > $5)
            ORDER BY id DESC LIMIT $4
            """, [organization, caller.text, operation, listed, now.addingTimeInterval(-Job.memory)]
        ) { try JobRecord($0, answer: nil) }
    }

    private static let listed = 10

    private static let columns = """
        public_id, operation, leased_until, done_count, total_count, created_at, ended_at, failure
        """

    private init(_ row: Row, answer: JSONValue?) throws {
        let failure: String? = try row["failure"]
        let isLeased = try (row["leased_until"] as Date?) != nil
        job = try row["public_id"]
        operation = try row["operation"]
        endedAt = try row["ended_at"]
        state = failure != nil ? .failed : endedAt != nil ? .done : isLeased ? .running : .waiting
        done = try row["done_count"]
        total = try row["total_count"]
        createdAt = try row["created_at"]
        self.failure = try failure.map {
            try JSONDecoder.administration.decode(OperationFailure.self, from: Data($0.utf8))
        }
        self.answer = answer
    }
}
