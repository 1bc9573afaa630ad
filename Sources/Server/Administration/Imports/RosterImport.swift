import Directory
import Storage

/// An import that was applied, as the subject of an operation.
package struct RosterImport: OperationSubject {
    let number: Int64
    let organization: OrganizationID

    package var subjectOrganization: OrganizationID? { organization }
    package var auditName: String { "import:\(number)" }

    /// Even files of one school can change people who are at others too, so the privilege must be for the whole
    /// organization.
    package func isOpen(
        to authority: Authority, for privilege: Privilege, in transaction: some Transaction
    ) -> Bool { authority.has(privilege, in: organization) }
}

/// Which import is meant.
package struct ImportReference: Codable, Equatable, Sendable {
    /// The import that is held. If several are, each is named by the id of its plan.
    package static let held = "held"
    /// The newest import that was not taken back.
    package static let last = "last"

    package static let explanation = "The number of the import, or `\(last)` for the newest that was not taken back."

    let text: String

    package init(_ text: String) { self.text = text }
    package init(_ number: Int64) { text = "\(number)" }

    package init(from decoder: any Decoder) throws {
        text = try decoder.singleValueContainer().decode(String.self)
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(text)
    }

    /// - Throws: ``OperationError/notFound(_:_:in:)``
    func find(in organization: Organization, _ transaction: some Transaction) throws -> RosterImport {
        guard let number = Int64(text),
            let found = try AppliedImport.find(number, of: organization.id, in: transaction)
        else { throw OperationError.notFound(.rosterImport, text, in: organization.name) }
        return RosterImport(number: found.id, organization: organization.id)
    }

    /// An import that waits for approval, and the schools whose files it has; none for the whole organization.
    /// - Throws: ``OperationError/ambiguous(_:_:_:)``, ``OperationError/notFound(_:_:in:)``
    func held(
        in organization: Organization, _ transaction: some Transaction
    ) throws -> (held: ListImports.Held, schools: [LocationID]) {
        let waiting = try HeldImport.list(of: organization.id, in: transaction).compactMap { held in
            try ListImports.Held(held, in: organization, transaction).map { ($0, held.schools.sorted()) }
        }
        let meant = text == Self.held ? waiting : waiting.filter { $0.0.planID == text }
        guard meant.count <= 1 else {
            throw OperationError.ambiguous(.rosterImport, text, meant.map(\.0.planID).sorted())
        }
        guard let found = meant.first else { throw OperationError.notFound(.rosterImport, text, in: organization.name) }
        return found
    }

    /// The files that are kept of the import.
    /// - Throws: ``OperationError/notFound(_:_:in:)``, ``OperationError/refused(_:remedy:)``
    func files(of organization: OrganizationID, in transaction: some Transaction) throws -> ImportFiles {
        let held = try ImportFiles.held(in: organization, transaction)
        if let files = held[text] { return files }
        if text == Self.held {
            guard held.count <= 1 else { throw OperationError.ambiguous(.rosterImport, text, held.keys.sorted()) }
            guard let files = held.first?.value else {
                throw OperationError.refused("No import is held of which the files are kept.")
            }
            return files
        }
        guard let number = Int64(text), try AppliedImport.find(number, of: organization, in: transaction) != nil else {
            throw OperationError.notFound(.rosterImport, text, in: nil)
        }
        guard let files = try ImportFiles.find(of: number, in: organization, transaction) else {
            throw OperationError.refused(
                """
                The files of import \(number) are not kept any more. They are for \(ImportFiles.days) days, unless somebody \
                whom they name was erased.
                """)
        }
        return files
    }
}
