import Directory
import Foundation
import Ground
import Storage

/// Makes an organization's records match six CSV files, or the records of some of its schools; those of a business match
/// staff.csv.
///
/// Everything is read into temporary tables and checked first, so that memory does not grow with the files. Then the
/// plan is made and, if nothing prevents it, applied in one transaction that also ensures that the records are still
/// those of the plan.
package struct RosterImporter: Sendable {
    package enum Mode: Equatable, Sendable {
        /// Changes nothing.
        /// - Parameter show: which people of the plan to list; nil for none.
        case planOnly(show: PlanListing.Query? = nil)
        /// - Parameters:
        ///   - approval: the ``ImportReport/planID`` of a held plan. If this import's plan is another one, it is held
        ///     too.
        ///   - identities: the same for reasons with ``HeldReason/Rule/concernsIdentities``. That ids pass to other
        ///     people needs an approval of its own.
        ///   - holds: whether the plan waits for approval even if little would change.
        case apply(approval: String?, identities: String? = nil, holds: Bool = false)
    }

    /// Where the six files are.
    package struct Files: Sendable {
        /// The path of a folder or a ZIP archive.
        let path: String
        /// What it is called in reports.
        let name: String
        /// What has to be there as long as the path is read; nil for files that are there anyway.
        let package: RosterPackage?

        package init(at path: String) {
            self.path = path
            name = (path as NSString).lastPathComponent
            package = nil
        }

        package init(in package: RosterPackage, named name: String) {
            path = package.path
            self.name = name
            self.package = package
        }
    }

    let database: any Database
    let surroundings: Surroundings

    package init(database: any Database, surroundings: Surroundings) {
        self.database = database
        self.surroundings = surroundings
    }

    /// Imports, and writes the audit trail.
    /// - Parameters:
    ///   - path: a folder or a ZIP archive with the six files; for a business one with staff.csv, or that file itself.
    ///   - newPeople: person ids that the files give to somebody else. The row becomes a new account; the former
    ///     account is deactivated and loses the id, and nothing of it passes on.
    ///   - term: the name of the term to which the classes of the files belong; nil leaves them in theirs.
    ///   - schools: the only locations that the files name, and that are changed; empty for the whole organization.
    ///   - progress: called on the import's thread, at most a hundred times in each phase.
    /// - Throws: ``DirectoryError/unknownOrganization(_:)``, ``DirectoryError/organizationClosed(_:since:)``,
    ///   ``RosterImportError``, ``DatabaseError``. Whatever is wrong with the files is in the report. If it throws,
    ///   nothing was changed.
    package func run(
        organization: OrganizationID,
        from path: String,
        limits: ArchiveLimits = ArchiveLimits(),
        mode: Mode,
        newPeople: Set<String> = [],
        term: String? = nil,
        schools: [LocationID] = [],
        actor: Actor,
        origin: Origin,
        progress: @escaping @Sendable (ImportProgress) -> Void = { _ in },
        onHeld: @escaping ImportEnding.OnHeld = { _, _, _ in }
    ) async throws -> ImportReport {
        let now = surroundings.now()
        return try await run(
            organization: organization, from: Files(at: path), limits: limits, mode: mode, newPeople: newPeople,
            term: term, schools: schools, at: now,
            ending: .noting(by: actor, from: origin, in: organization, at: now, onHeld: onHeld), progress: progress)
    }

    /// The same as ``run(organization:from:limits:mode:newPeople:term:schools:actor:origin:progress:onHeld:)``, with
    /// what is done around its end.
    package func run(
        organization: OrganizationID, from files: Files, limits: ArchiveLimits = ArchiveLimits(), mode: Mode,
        newPeople: Set<String>, term: String?, schools: [LocationID], at now: Date, ending: ImportEnding,
        progress: @escaping @Sendable (ImportProgress) -> Void
    ) async throws -> ImportReport {
        try await database.session { session in
            let run = ImportRun(
                session: session, files: files, organization: organization, mode: mode, newPeople: newPeople,
                term: term, schools: schools, now: now, ending: ending, progress: ProgressMeter(progress))
            return try run.run(limits)
        }
    }
}
