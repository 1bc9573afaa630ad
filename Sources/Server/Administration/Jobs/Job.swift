import Directory
import Foundation
import Ground
import Storage

/// A change that is carried out in the background. The change and the end of the job are one transaction: if the server
/// is killed meanwhile, nothing is changed, and the job is started again.
package struct Job: Sendable {
    let id: Int64
    let publicID: String
    let organization: OrganizationID
    let holder: TokenHolder
    let origin: Origin
    let operation: String
    let input: [UInt8]
    let version: String?
    let attempts: Int

    /// How long a job that one server has taken is not given to another, in seconds. The lease is renewed during the
    /// work.
    package static let lease: TimeInterval = 60
    static let attemptsMax = 5
    /// How long the answer can be fetched, in seconds.
    static let memory: TimeInterval = 3_600
    /// How long the server remembers that the job existed, in seconds.
    private static let history: TimeInterval = 30 * 86_400

    private init(_ row: Row) throws {
        id = try row["id"]
        publicID = try row["public_id"]
        organization = try row["organization_id"]
        holder = try TokenHolder(row)
        origin = Origin(stored: try row["origin"])
        operation = try row["operation"]
        input = try row["input"]
        version = try row["version"]
        attempts = try row["attempts"]
    }

    var purpose: String { "administration_job \(publicID)" }

    static func insert<C: Change>(
        _: C.Type, input: Data, in organization: OrganizationID, for holder: TokenHolder, from origin: Origin,
        ifVersion version: String?, _ context: OperationContext, in transaction: WriteTransaction
    ) throws -> String {
        let publicID = Data(context.services.surroundings.randomBytes(16)).base64URLEncoded
        try transaction.execute(
            """
            INSERT INTO administration_job
                (public_id, organization_id, caller, origin, operation, input, version, created_at,
                 \(TokenHolder.columns))
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)
            """,
            [
                publicID, organization, context.authority.actor.text, origin.text, C.name,
                try context.services.sealed(input, for: "administration_job \(publicID)"), version, context.now,
            ] + holder.values)
        return publicID
    }

    /// How many jobs of an organization can wait or run. Their inputs are kept until they have ended, and may be files.
    private static let (waitingMax, waitingInSandboxMax) = (50, 2)

    /// - Throws: ``OperationError/refused(_:remedy:)`` if too many wait
    static func checkRoom(in organization: Organization, _ transaction: some Transaction) throws {
        let waiting: Int =
            try transaction.first(
                "SELECT COUNT(*) FROM administration_job WHERE organization_id = $1 AND ended_at IS NULL",
                [organization.id]
            ) { try $0[0] } ?? 0
        guard waiting < (organization.isSandbox ? waitingInSandboxMax : waitingMax) else {
            throw OperationError.refused(
                """
                \(waiting) pieces of work of \(organization.name) wait or are being done. Try again when they have ended.
                """)
        }
    }

    /// Takes the oldest job on which no server works, those of sandboxes last; nil if there is none.
    static func take(at now: Date, in transaction: WriteTransaction) throws -> Job? {
        try transaction.first(
            """
            UPDATE administration_job SET leased_until = $2, attempts = attempts + 1
            WHERE id = (
                SELECT id FROM administration_job
                WHERE ended_at IS NULL AND (leased_until IS NULL OR leased_until <= $1 OR leased_until > $3)
                ORDER BY
                    (SELECT CASE WHEN sandbox_domain IS NULL THEN 0 ELSE 1 END FROM organization
                     WHERE organization.id = administration_job.organization_id),
                    id
                LIMIT 1
            )
            RETURNING id, public_id, organization_id, origin, operation, input, version, attempts,
                \(TokenHolder.columns)
            """,
            // A lease that ends later than any could was taken by a server whose clock was ahead: it does not count.
            [now, now.addingTimeInterval(lease), now.addingTimeInterval(2 * lease)], Job.init)
    }

    static func isWaiting(at now: Date, in transaction: some Transaction) throws -> Bool {
        try transaction.exists(
            """
            SELECT 1 FROM administration_job
            WHERE ended_at IS NULL AND (leased_until IS NULL OR leased_until <= $1 OR leased_until > $2)
            """, [now, now.addingTimeInterval(2 * lease)])
    }

    func renew(at now: Date, in transaction: WriteTransaction) throws {
        try transaction.execute(
            "UPDATE administration_job SET leased_until = $2 WHERE id = $1 AND ended_at IS NULL",
            [id, now.addingTimeInterval(Self.lease)])
    }

    /// Renews the lease, and records the progress.
    func note(done: Int, of total: Int, at now: Date, in transaction: WriteTransaction) throws {
        try transaction.execute(
            """
            UPDATE administration_job SET done_count = $2, total_count = $3, leased_until = $4
            WHERE id = $1 AND ended_at IS NULL
            """, [id, done, total, now.addingTimeInterval(Self.lease)])
    }

    /// Ends the job, and stores its answer.
    /// - Returns: false if another server has ended it meanwhile.
    func end(with reply: [UInt8], at now: Date, in transaction: WriteTransaction) throws -> Bool {
        try transaction.execute(
            """
            UPDATE administration_job
            SET ended_at = $2, reply = $3, input = $4, leased_until = NULL, done_count = total_count
            WHERE id = $1 AND ended_at IS NULL
            """, [id, now, reply, [UInt8]()]) > 0
    }

    func end(with failure: OperationFailure, at now: Date, in transaction: WriteTransaction) throws {
        try transaction.execute(
            """
            UPDATE administration_job SET ended_at = $2, failure = $3, input = $4, leased_until = NULL
            WHERE id = $1 AND ended_at IS NULL
            """,
            [
                id, now, String(decoding: try JSONEncoder.administration.encode(failure), as: UTF8.self),
                [UInt8](),
            ])
    }

    package static func hasOld(at now: Date, in transaction: some Transaction) throws -> Bool {
        try transaction.exists(
            "SELECT 1 FROM administration_job WHERE ended_at <= $1 AND reply IS NOT NULL OR ended_at <= $2",
            [now.addingTimeInterval(-memory), now.addingTimeInterval(-history)])
    }

    static func forgetAnswer(of job: String, in transaction: WriteTransaction) throws {
        try transaction.execute("UPDATE administration_job SET reply = NULL WHERE public_id = $1", [job])
    }

    /// Deletes answers that were not fetched in time, and finally the jobs.
    package static func deleteOld(at now: Date, in transaction: WriteTransaction) throws {
        try transaction.execute(
            "UPDATE administration_job SET reply = NULL WHERE ended_at <= $1", [now.addingTimeInterval(-memory)])
        try transaction.execute(
            "DELETE FROM administration_job WHERE ended_at <= $1", [now.addingTimeInterval(-history)])
    }
}
