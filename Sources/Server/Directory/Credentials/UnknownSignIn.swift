import Foundation
import Storage

/// Records refused sign-ins without an account: the user name is unknown, or its account has no password.
///
/// They are counted by the hour: with an entry for each, anybody could fill the audit trail.
enum UnknownSignIn {
    /// Counts one. The first of an hour is recorded in the server's chain, with the count of the last hour that had
    /// any.
    /// - Returns: the count in this hour so far.
    @discardableResult
    static func record(at now: Date, from origin: Origin, in transaction: WriteTransaction) throws -> Int {
        let hour = Int(now.timeIntervalSince1970) / 3_600
        let attempts =
            try transaction.first(
                """
                INSERT INTO unknown_sign_in (hour, attempts) VALUES ($1, 1)
                ON CONFLICT (hour) DO UPDATE SET attempts = unknown_sign_in.attempts + 1
                RETURNING attempts
                """,
                [hour]
            ) { try $0[0] as Int } ?? 1
        guard attempts == 1 else { return attempts }
        let before = try transaction.first(
            "DELETE FROM unknown_sign_in WHERE hour <> $1 RETURNING hour, attempts", [hour]
        ) {
            (
                start: Date(timeIntervalSince1970: Double(try $0["hour"] as Int) * 3_600),
                attempts: try $0["attempts"] as Int
            )
        }
        let count = before.map { "; in the hour from \($0.start.formatted(.iso8601)) there were \($0.attempts)" }
        try AuditEntry(
            .signIn, by: .system, on: "unknown account", outcome: .refused,
            detail: "no account with a password has the user name" + (count ?? ""), from: origin
        ).append(to: nil, at: now, in: transaction)
        return attempts
    }
}
