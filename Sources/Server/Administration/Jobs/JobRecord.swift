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

    /// What the change has done, if it was a `C`; nil as long as it is not done, and when its answer is not kept any more.
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
            """
            SELECT public_id, operation, leased_until, done_count, total_count, created_at, ended_at, reply, failure
            FROM administration_job WHERE public_id = $1 AND caller = $2
            """, [job, caller.text]
        ) { row in
            let endedAt: Date? = try row["ended_at"]
            let failure: String? = try row["failure"]
            let reply: [UInt8]? = try row["reply"]
            let isLeased = try (row["leased_until"] as Date?) != nil
            return JobRecord(
                job: try row["public_id"], operation: try row["operation"],
                state: failure != nil ? .failed : endedAt != nil ? .done : isLeased ? .running : .waiting,
                done: try row["done_count"], total: try row["total_count"], createdAt: try row["created_at"],
                endedAt: endedAt,
                failure: try failure.map {
                    try JSONDecoder.administration.decode(OperationFailure.self, from: Data($0.utf8))
                },
                answer: try reply.map {
                    try JSONValue(reading: try services.opened($0, for: "administration_job \(job)"))
                })
        }
        guard let found else { throw OperationError.notFound(.job, job, in: nil) }
        return found
    }
}
