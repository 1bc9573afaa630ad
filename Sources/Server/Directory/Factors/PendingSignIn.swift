import Foundation
import Ground
import Storage

/// A browser in which somebody has typed the right password or shown a ticket of Kerberos, and still has to show a second factor, or to set one up.
/// It is signed in to nothing: no page takes its cookie for a session.
package struct PendingSignIn: Sendable {
    let tokenHash: SecretHash
    package let person: Person
    package let factors: Factors
    /// How the person has proved who they are so far.
    package let methods: SignInMethods

    /// Seconds in which the second factor has to be shown.
    package static let lifetime: TimeInterval = 600
    /// After this many wrong codes the password is asked for again.
    static let failuresMax = 5

    /// Whether the person has no second factor, and has to set one up before they go on.
    package var mustSetUp: Bool { factors.isEmpty }
}

extension PendingSignIn {
    /// - Returns: the token for the cookie.
    package static func insert(
        for person: PersonID, by methods: SignInMethods = .password, at now: Date, from surroundings: Surroundings,
        in transaction: WriteTransaction
    ) throws -> Secret {
        let token = Secret(from: surroundings)
        try transaction.execute("DELETE FROM pending_sign_in WHERE expires_at <= $1", [now])
        try transaction.execute(
            """
            INSERT INTO pending_sign_in (token_hash, person_id, sign_in_version, expires_at, methods)
            VALUES ($1, $2, \(SignInVersion.sql(of: "$2")), $3, $4)
            """,
            [token.hash, person, now.addingTimeInterval(lifetime), methods])
        return token
    }

    /// - Returns: nil if the time is over, there were too many wrong codes, or the person may not sign in any more.
    package static func find(
        _ token: String, at now: Date, in transaction: some Transaction
    ) throws -> PendingSignIn? {
        let hash = SecretHash(of: token)
        let found = try transaction.first(
            """
            SELECT \(Person.columns), pending.methods FROM pending_sign_in AS pending
            JOIN person ON person.id = pending.person_id
            WHERE pending.token_hash = $1 AND pending.expires_at > $2 AND pending.failures < $3
              AND pending.sign_in_version = person.sign_in_version
            """,
            [hash, now, failuresMax]
        ) { (person: try Person($0), methods: try $0["methods"] as SignInMethods) }
        guard let (person, methods) = found, person.state.maySignIn else { return nil }
        if let organization = try person.organizationID.flatMap({ try Organization.find($0, in: transaction) }),
            organization.closing != nil
        {
            return nil
        }
        return PendingSignIn(
            tokenHash: hash, person: person, factors: try Factors.find(of: person.id, in: transaction),
            methods: methods)
    }

    func countFailure(in transaction: WriteTransaction) throws {
        try transaction.execute(
            "UPDATE pending_sign_in SET failures = failures + 1 WHERE token_hash = $1", [tokenHash])
    }

    /// - Returns: false if it was taken before.
    func take(in transaction: WriteTransaction) throws -> Bool {
        try transaction.execute("DELETE FROM pending_sign_in WHERE token_hash = $1", [tokenHash]) > 0
    }
}
