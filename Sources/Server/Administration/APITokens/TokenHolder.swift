import Directory
import Foundation
import Ground
import Storage

/// Who holds an access token, and the privileges to which the token limits them.
package struct TokenHolder: Equatable, Sendable {
    enum Holder: Equatable, Sendable {
        /// An ``APIClient``, by its id.
        case client(Int64)
        /// A person who has allowed a terminal to act in their name, and their sign-in version at that time: whatever
        /// ends all sessions of the person ends the token too.
        case person(PersonID, SignInVersion)
    }

    let holder: Holder
    let privileges: Set<Privilege>

    init(_ holder: Holder, _ privileges: Set<Privilege>) {
        self.holder = holder
        self.privileges = privileges
    }

    /// What the holder may do at the time of the transaction.
    /// - Throws: ``OperationError/signedOut``
    func authority(at now: Date, in transaction: some Transaction) throws -> Authority {
        switch holder {
        case .client(let id):
            guard let client = try APIClient.find(living: id, in: transaction),
                try !Organization.isClosed(client.organizationID, in: transaction)
            else { throw OperationError.signedOut }
            return try Authority.of(client, in: transaction).limited(to: privileges)
        case .person(let id, let version):
            guard try SignInVersion.current(of: id, in: transaction) == version else { throw OperationError.signedOut }
            return try Authority.of(id, at: now, in: transaction).limited(to: privileges)
        }
    }
}

// MARK: Storage

extension TokenHolder {
    /// The columns by which every table with a holder names it.
    static let columns = "api_client_id, person_id, sign_in_version, privileges"

    /// The holder as values of ``columns``.
    var values: [any SQLConvertible] {
        switch holder {
        case .client(let id): [id, PersonID?.none, SignInVersion?.none, privileges.text]
        case .person(let id, let version): [Int64?.none, id, version, privileges.text]
        }
    }

    init(_ row: Row) throws {
        privileges = Set(stored: try row["privileges"])
        if let client: Int64 = try row["api_client_id"] {
            holder = .client(client)
        } else {
            holder = .person(try row["person_id"], try row["sign_in_version"])
        }
    }

    /// The holder of a token; nil if there is none, or it has expired.
    static func find(_ token: SecretHash, at now: Date, in transaction: some Transaction) throws -> TokenHolder? {
        try transaction.first(
            "SELECT \(columns) FROM api_token WHERE token_hash = $1 AND expires_at > $2", [token, now],
            TokenHolder.init)
    }

    func insert(_ token: SecretHash, until end: Date, in transaction: WriteTransaction) throws {
        try transaction.execute(
            "INSERT INTO api_token (token_hash, expires_at, \(Self.columns)) VALUES ($1, $2, $3, $4, $5, $6)",
            [token, end] + values)
    }

    package static func hasExpired(at now: Date, in transaction: some Transaction) throws -> Bool {
        try transaction.exists("SELECT 1 FROM api_token WHERE expires_at <= $1", [now])
    }

    package static func deleteExpired(at now: Date, in transaction: WriteTransaction) throws {
        try transaction.execute("DELETE FROM api_token WHERE expires_at <= $1", [now])
    }
}
