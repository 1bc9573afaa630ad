import Directory
import Ground
import Storage

/// Brings an organization to what six CSV files say.
///
/// Everything is read and checked first; then the plan is made and, if nothing speaks against it, applied in one
/// transaction, in which nothing can have changed since. It takes the files into temporary tables, so that memory does
/// not grow with them.
package struct RosterImporter: Sendable {
    package enum Mode: Equatable, Sendable {
        /// Changes nothing.
        /// - Parameter show: which people of the plan to list; nil for none.
        case planOnly(show: PlanListing.Query? = nil)
        /// - Parameters:
        ///   - approval: ``ImportReport/planID`` of a plan that was held. If it is for another plan, this one is held
        ///     as well.
        ///   - identities: the same for what ``HeldReason/Rule/concernsIdentities``: that ids pass to other people is
        ///     never approved along with something else.
        case apply(approval: String?, identities: String? = nil)
    }

    let database: any Database
    let surroundings: Surroundings

    package init(database: any Database, surroundings: Surroundings) {
        self.database = database
        self.surroundings = surroundings
    }

    /// - Parameters:
    ///   - path: of a folder or a ZIP archive with the six files.
    ///   - newPeople: ids of people whom the files give to somebody else. The row becomes a new account, and the former
    ///     one is deactivated and gives up the id; nothing of the one passes to the other.
    ///   - progress: is called on the thread of the import, at most a hundred times for each phase.
    /// - Throws: ``DirectoryError/unknownOrganization(_:)``, ``RosterImportError/notASchool(_:)``, ``DatabaseError``.
    ///   Whatever is wrong with the files is in
    ///   the report. If it throws, nothing was changed.
    package func run(
        organization: OrganizationID,
        from path: String,
        limits: ArchiveLimits = ArchiveLimits(),
        mode: Mode,
        newPeople: Set<String> = [],
        actor: Actor,
        origin: Origin,
        progress: @escaping @Sendable (ImportProgress) -> Void = { _ in }
    ) async throws -> ImportReport {
        let now = surroundings.now()
        return try await database.session { session in
            let run = ImportRun(
                session: session, organization: organization, mode: mode, newPeople: newPeople, actor: actor,
                origin: origin, now: now, progress: ProgressMeter(progress))
            return try run.run(path, limits)
        }
    }
}
