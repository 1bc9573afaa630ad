import Directory
import Ground
import Storage

/// Makes an organization's records match six CSV files.
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
        case apply(approval: String?, identities: String? = nil)
    }

    /// Work in the transaction that notes that an import is held, such as telling somebody.
    package typealias OnHeld =
        @Sendable (_ counts: ImportCounts, _ transaction: WriteTransaction) throws -> Void

    let database: any Database
    let surroundings: Surroundings

    package init(database: any Database, surroundings: Surroundings) {
        self.database = database
        self.surroundings = surroundings
    }

    /// - Parameters:
    ///   - path: a folder or a ZIP archive with the six files.
    ///   - newPeople: person ids that the files give to somebody else. The row becomes a new account; the former
    ///     account is deactivated and loses the id, and nothing of it passes on.
    ///   - term: the name of the term to which the classes of the files belong; nil leaves them in theirs.
    ///   - progress: called on the import's thread, at most a hundred times in each phase.
    ///   - onHeld: called when the import is held, unless the same plan was held the last time.
    /// - Throws: ``DirectoryError/unknownOrganization(_:)``, ``DirectoryError/organizationClosed(_:since:)``,
    ///   ``RosterImportError/notASchool(_:)``, ``DatabaseError``. Whatever is wrong with the files is in the report. If it throws, nothing was changed.
    package func run(
        organization: OrganizationID,
        from path: String,
        limits: ArchiveLimits = ArchiveLimits(),
        mode: Mode,
        newPeople: Set<String> = [],
        term: String? = nil,
        actor: Actor,
        origin: Origin,
        progress: @escaping @Sendable (ImportProgress) -> Void = { _ in },
        onHeld: @escaping OnHeld = { _, _ in }
    ) async throws -> ImportReport {
        let now = surroundings.now()
        return try await database.session { session in
            let run = ImportRun(
                session: session, organization: organization, mode: mode, newPeople: newPeople, term: term,
                actor: actor, origin: origin, now: now, onHeld: onHeld, progress: ProgressMeter(progress))
            return try run.run(path, limits)
        }
    }
}
