import Foundation
import Storage

/// A school district or a company: the owner of its people's accounts.
package struct Organization: Equatable, Sendable {
    package enum Kind: String, Sendable, SQLConvertible, Codable, CaseIterable {
        case school
        case business
    }

    /// The colour of an organization on pages: the strap on its accounts' pages, and its badge. A fixed set of names,
    /// so that white text is readable on each, and each is distinct from the page in light and dark mode. For
    /// organizations that have chosen none see `ServerPages/Parts/Tone`.
    package enum Colour: String, Sendable, SQLConvertible, Codable, CaseIterable {
        case rust, ochre, olive, green, slate, blue, violet, plum
    }

    package let id: OrganizationID
    /// A UUID in lower case, `org_id` on the wire. The same for every app.
    package let publicID: String
    package let kind: Kind
    /// Whether this is the school behind the test scope, which has no real people.
    package let isSynthetic: Bool
    package let name: String
    /// The format as stored. It is read with every token and rarely needed, so it is parsed only by ``userNameFormat``.
    package let userNameFormatText: String
    /// Nil if the organization has chosen none; pages then derive one from the id (`ServerPages/Parts/Tone`).
    package let colour: Colour?
    /// The picture on its badge, see ``Organization/picture(_:in:)``; nil for initials.
    package let pictureID: String?
    package let createdAt: Date
    package let modifiedAt: Date
    /// Whether its people confirm every sign-in to an app, even to apps that they have used before.
    package let asksEveryTime: Bool
    package let rules: HouseRules
    /// Nil unless it has ended.
    package let closing: OrganizationClosing?
    /// The domain of all its user names, if a team of app developers has made it to try its apps. Nil for all others.
    package let sandboxDomain: String?

    package var isSandbox: Bool { sandboxDomain != nil }

    static let columns =
        """
        id, public_id, kind, is_synthetic, name, user_name_format, created_at, modified_at, colour, asks_every_time,
        closed_at, erases_on, erased_at, picture_id, sandbox_domain, \(HouseRules.columns)
        """

    init(_ row: Row) throws {
        id = try row["id"]
        publicID = try row["public_id"]
        kind = try row["kind"]
        isSynthetic = try row["is_synthetic"]
        name = try row["name"]
        userNameFormatText = try row["user_name_format"]
        createdAt = try row["created_at"]
        modifiedAt = try row["modified_at"]
        colour = try row["colour"]
        asksEveryTime = try row["asks_every_time"]
        pictureID = try row["picture_id"]
        rules = try HouseRules(row)
        closing = try OrganizationClosing(row)
        sandboxDomain = try row["sandbox_domain"]
    }

    /// - Throws: ``DirectoryError`` if the stored format is not valid, which only another program can have caused.
    package var userNameFormat: UserNameFormat { get throws { try UserNameFormat(userNameFormatText) } }
}

extension Organization {
    /// - Parameter publicID: random if it is nil; tests and the synthetic school pass their own.
    /// - Throws: ``DirectoryError`` if the name is empty or too long.
    package static func insert(
        name: String,
        kind: Kind,
        publicID: String? = nil,
        isSynthetic: Bool = false,
        userNameFormat: UserNameFormat? = nil,
        at now: Date,
        in transaction: WriteTransaction
    ) throws -> Organization {
        let name = try FieldRule.name.check(name, field: "organization name")
        let slug = UserNameFormat.simplified(name).replacingOccurrences(of: ".", with: "-")
        let format = userNameFormat ?? .standard(domain: "\(slug.isEmpty ? "school" : slug).lanyard.internal")
        return try transaction.first(
            """
            INSERT INTO organization (public_id, kind, is_synthetic, name, user_name_format, created_at, modified_at)
            VALUES ($1, $2, $3, $4, $5, $6, $6)
            RETURNING \(columns)
            """,
            [publicID ?? UUID().uuidString.lowercased(), kind, isSynthetic, name, format.text, now],
            Organization.init
        )!  // an insert without conflict clause returns its row
    }

    package static func find(_ id: OrganizationID, in transaction: some Transaction) throws -> Organization? {
        try transaction.first("SELECT \(columns) FROM organization WHERE id = $1", [id], Organization.init)
    }

    package static func find(publicID: String, in transaction: some Transaction) throws -> Organization? {
        try transaction.first(
            "SELECT \(columns) FROM organization WHERE public_id = $1", [publicID.lowercased()], Organization.init)
    }

    /// The school behind the test scope; nil until the server has created it.
    package static func synthetic(in transaction: some Transaction) throws -> Organization? {
        try transaction.first("SELECT \(columns) FROM organization WHERE is_synthetic = 1", [], Organization.init)
    }

    /// The server's only organization; nil if there are several, or none yet. Those that were erased do not count, and
    /// neither do sandboxes.
    package static func only(in transaction: some Transaction) throws -> Organization? {
        let found = try transaction.all(
            """
            SELECT \(columns) FROM organization
            WHERE is_synthetic = 0 AND erased_at IS NULL AND sandbox_domain IS NULL
            ORDER BY id
            LIMIT 2
            """, [], Organization.init)
        return found.count == 1 ? found[0] : nil
    }

    /// The organization that has verified the domain.
    package static func find(verified domain: String, in transaction: some Transaction) throws -> Organization? {
        try transaction.first(
            "SELECT organization_id FROM domain WHERE name = $1 AND verified_at IS NOT NULL", [domain.lowercased()]
        ) { try $0[0] as OrganizationID }.flatMap { try find($0, in: transaction) }
    }

    /// Every organization but the synthetic one, by name.
    package static func list(in transaction: some Transaction) throws -> [Organization] {
        try transaction.all(
            "SELECT \(columns) FROM organization WHERE is_synthetic = 0 ORDER BY name, id", [], Organization.init)
    }

    /// The organizations that the operator looks after: all but the synthetic one and sandboxes, by name.
    package static func listOwn(in transaction: some Transaction) throws -> [Organization] {
        try list(in: transaction).filter { !$0.isSandbox }
    }

    package func update(
        name: String, userNameFormat: UserNameFormat, at now: Date, in transaction: WriteTransaction
    ) throws {
        try Domain.check(userNameFormat.text, for: id, in: transaction)
        if isSandbox, !name.hasSuffix(Self.sandboxSuffix) {
            throw DirectoryError.invalidField(
                field: "organization name", reason: "of a sandbox ends with “\(Self.sandboxSuffix)”")
        }
        try transaction.execute(
            "UPDATE organization SET name = $2, user_name_format = $3, modified_at = $4 WHERE id = $1",
            [
                id, try FieldRule.name.check(name, unlessStill: self.name, field: "organization name"),
                userNameFormat.text, now,
            ])
    }

    /// Replaces the colour. It is no part of the record that apps read, so ``modifiedAt`` stays as it is.
    package func put(colour: Colour?, in transaction: WriteTransaction) throws {
        try transaction.execute("UPDATE organization SET colour = $2 WHERE id = $1", [id, colour])
    }

    /// Replaces the picture. It is no part of the record that apps read, so ``modifiedAt`` stays as it is.
    /// - Parameter picture: a PNG file; nil for none.
    package func put(picture: Data?, in transaction: WriteTransaction) throws {
        try transaction.execute(
            "UPDATE organization SET picture_id = $2, picture = $3 WHERE id = $1",
            [id, picture.map(PictureID.of), picture.map { [UInt8]($0) }])
    }

    /// The PNG file with this id, whichever organization has it.
    package static func picture(_ id: String, in transaction: some Transaction) throws -> [UInt8]? {
        try transaction.first("SELECT picture FROM organization WHERE picture_id = $1 LIMIT 1", [id]) { try $0[0] }
    }

    /// The PNG file of the organization's picture; nil for initials.
    package func picture(in transaction: some Transaction) throws -> Data? {
        try pictureID.flatMap { try Self.picture($0, in: transaction) }.map { Data($0) }
    }

    /// Replaces ``asksEveryTime``. It is no part of the record that apps read, so ``modifiedAt`` stays as it is.
    package func put(asksEveryTime: Bool, in transaction: WriteTransaction) throws {
        try transaction.execute("UPDATE organization SET asks_every_time = $2 WHERE id = $1", [id, asksEveryTime])
    }

    /// Marks the record as changed: its domains are part of it.
    static func touch(_ id: OrganizationID, at now: Date, in transaction: WriteTransaction) throws {
        try transaction.execute("UPDATE organization SET modified_at = $2 WHERE id = $1", [id, now])
    }
}
