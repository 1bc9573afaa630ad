import Directory
import Foundation
import Ground
import Storage

/// Writes the records that an import keeps as six CSV files, or those of a business as one, so that importing them again
/// changes nothing.
///
/// One snapshot of the database is read page by page; memory does not grow with the organization.
package struct RosterExporter: Sendable {
    let database: any Database
    let surroundings: Surroundings

    package init(database: any Database, surroundings: Surroundings) {
        self.database = database
        self.surroundings = surroundings
    }

    /// - Parameter path: a folder, which is created if it is missing, or a ZIP archive if it ends in `.zip`. Only their
    ///   owner can read the files. They get their names, and replace earlier files, one after the other when all are on
    ///   the disk and the audit entry of the export is written.
    /// - Returns: the number of rows of each file.
    /// - Throws: ``DirectoryError/unknownOrganization(_:)``, ``RosterImportError/cannotWrite(path:reason:)``
    package func export(
        organization: OrganizationID, to path: String, isForSpreadsheet: Bool = false, actor: Actor, origin: Origin
    ) async throws -> [RosterFile: Int] {
        let now = surroundings.now()
        return try await database.session { session in
            let destination: any RosterDestination =
                path.lowercased().hasSuffix(".zip") ? try ZipDestination(path) : try FolderDestination(path)
            let (publicID, rows) = try session.read { transaction in
                guard let found = try Organization.find(organization, in: transaction) else {
                    throw DirectoryError.unknownOrganization(String(organization.rawValue))
                }
                var rows: [RosterFile: Int] = [:]
                let writing = RosterCSVWriting(
                    organization: organization, kind: found.kind, isForSpreadsheet: isForSpreadsheet,
                    transaction: transaction)
                for file in RosterFile.files(of: found.kind) {
                    rows[file] = try destination.write(file.name) { try writing.write(file, to: $0) }
                }
                try destination.complete()
                return (found.publicID, rows)
            }
            try session.write { transaction in
                try AuditEntry(
                    .rosterExported, by: actor, on: "organization:\(publicID)", outcome: .done,
                    detail: RosterFile.allCases.compactMap { file in rows[file].map { "\(file.rawValue) \($0)" } }
                        .joined(separator: ", "),
                    from: origin, mentioning: [.everybody]
                ).append(to: organization, at: now, in: transaction)
            }
            // Last, so that nobody can have the files before the audit trail records the export.
            try destination.publish()
            return rows
        }
    }
}
