import Storage

/// What a person can show besides a password.
package struct Factors: Equatable, Sendable {
    package let passkeys: Int
    package let hasOneTimeCodes: Bool
    /// How many codes on paper are left. Alone they are no second factor: they stand in for one.
    package let recoveryCodes: Int

    /// Whether the person signs in with a password alone.
    package var isEmpty: Bool { passkeys == 0 && !hasOneTimeCodes }

    package static func find(of person: PersonID, in transaction: some Transaction) throws -> Factors {
        Factors(
            passkeys: try Passkey.count(of: person, in: transaction),
            hasOneTimeCodes: try transaction.exists("SELECT 1 FROM one_time_code_key WHERE person_id = $1", [person]),
            recoveryCodes: try RecoveryCode.count(of: person, in: transaction))
    }

    /// Takes everything away, for a person who has lost it. All that they are signed in to ends, as with a new
    /// password: it may rest on what somebody else has found.
    package static func reset(_ person: PersonID, in transaction: WriteTransaction) throws {
        try transaction.execute("DELETE FROM passkey WHERE person_id = $1", [person])
        _ = try OneTimeCodeKey.delete(of: person, in: transaction)
        try RecoveryCode.deleteAll(of: person, in: transaction)
        try Person.endSignIns(of: "$1", [person], in: transaction)
    }
}
