import Directory
import Foundation
import Ground
import Storage

/// One thing that an administrator can do or ask. Its stored properties are its inputs: the command line fills them
/// from arguments, the API from path, query and body. An ``Inquiry`` reads, a ``Change`` writes.
///
/// An operation finds its subject and does its work. Everything else is the same for all operations, and is the job of
/// ``Administrator``: who may do it, the audit trail, previews, versions and undoing.
package protocol Operation: Codable, Sendable {
    associatedtype Subject: OperationSubject
    associatedtype Answer: Codable & Sendable

    /// The kind of subject and a verb, for example `person.deactivate`. The command line uses the same words.
    static var name: String { get }
    /// One sentence for the documentation of the API.
    static var summary: String { get }
    /// The method and path by which the API offers it.
    static var route: OperationRoute { get }
    /// An explanation of each input, by its name, for the documentation of the API.
    static var explanations: [String: String] { get }
    /// The privilege that the caller needs for the subject.
    static var privilege: Privilege { get }
    /// Whether it is done in sandboxes too, whose administrators are anybody. What reaches beyond the organization is not.
    static var worksInSandboxes: Bool { get }

    /// Finds the subject of the operation.
    /// - Throws: ``OperationError/notFound(_:_:in:)``, ``OperationError/ambiguous(_:_:_:)``
    func subject(in context: OperationContext, _ transaction: some Transaction) throws -> Subject
}

extension Operation {
    package static var worksInSandboxes: Bool { true }
}

/// An operation that changes nothing.
package protocol Inquiry: Operation {
    func answer(about subject: Subject, in context: OperationContext, _ transaction: some Transaction) throws -> Answer

    /// Opens the transaction, in which it is asked who the caller is and what the inquiry is about, and answers. Only
    /// an inquiry whose answer takes long has its own version of this, and works the answer out after the transaction:
    /// a long transaction would hold a connection that others need, and keep deleted rows from being cleared away.
    func answer(
        in database: any Database, _ admit: @escaping @Sendable (ReadTransaction) throws -> Admitted<Self>
    ) async throws -> (answer: Answer, admitted: Admitted<Self>)

    /// The people whose records are in the answer, for the audit trail; nil where the subject says who they are.
    static func people(in answer: Answer) -> [PersonID]?

    /// Whether the answer may name anybody of the organization, so that it counts as a reading of each.
    static var isAboutEverybody: Bool { get }

    /// The action under which the audit trail records the inquiry, whoever asks. If it is nil, the inquiries of all
    /// callers but the operator are recorded, as ``AuditEntry/Action/administrationRead``.
    static var exportAction: AuditEntry.Action? { get }
}

extension Inquiry {
    package static var exportAction: AuditEntry.Action? { nil }
    package static var isAboutEverybody: Bool { false }
    package static func people(in answer: Answer) -> [PersonID]? { nil }

    package func answer(
        in database: any Database, _ admit: @escaping @Sendable (ReadTransaction) throws -> Admitted<Self>
    ) async throws -> (answer: Answer, admitted: Admitted<Self>) {
        try await database.read { transaction in
            let admitted = try admit(transaction)
            return (try answer(about: admitted.subject, in: admitted.context, transaction), admitted)
        }
    }
}

/// An operation that changes something.
package protocol Change: Operation {
    /// The result of ``prepare(for:in:)``, which does slow work before the transaction, such as hashing a password.
    associatedtype Preparation: Sendable = Void

    /// The preparation of a change that prepares nothing, whatever it is about; nil if it does prepare something.
    static var noPreparation: Preparation? { get }
    /// Whether a preview needs the preparation itself, before its transaction as a change does, and no blank one.
    static var isPreparedForPreviews: Bool { get }
    static var undo: UndoRule { get }
    /// Whether the change may find that there is nothing to do, and record no effect.
    static var mayChangeNothing: Bool { get }
    /// Whether the API also has it for many subjects in one request.
    static var hasBulkForm: Bool { get }
    /// Whether it writes what an import writes, and both must wait for each other.
    static var locksRoster: Bool { get }
    /// Whether it also ends the sign-ins of many people, so that whoever signs in must wait for it.
    static var locksSignIns: Bool { get }
    /// Whether the caller must name the version of a preview that they have seen, because nothing takes the change
    /// back.
    static var needsVersion: Bool { get }
    /// Whether it is done in an organization that has ended too. All other changes are refused there.
    static var worksInClosedOrganizations: Bool { get }
    /// Whether it takes longer than a request may, so that the API carries it out in the background.
    var takesLong: Bool { get }

    /// - Throws: ``OperationError``
    func prepare(for subject: Subject, in context: OperationContext) async throws -> Preparation

    /// What a preview uses in place of the preparation; it can be anything, because a preview is rolled back. It is
    /// worked out in the transaction, for which all other changes wait.
    func blankPreparation(for subject: Subject, in context: OperationContext) -> Preparation

    /// Makes the change. Each effect is recorded with `act`, which writes the audit trail.
    /// - Throws: ``OperationError``, ``DirectoryError``; then nothing is changed.
    func carryOut(on subject: Subject, _ preparation: Preparation, in act: Act) throws -> Answer

    /// Opens the transaction, and has the settlement carry the change out in it. Only a change that needs temporary
    /// tables does this itself, on a connection of its own.
    func settle(
        _ preparation: Preparation, in database: any Database, _ settlement: Settlement<Self>
    ) async throws -> Settled<Self>

    /// Does what follows from the change and may take many transactions of its own. The server finishes it later if
    /// this is interrupted, or if the change was one of many or was taken back.
    func followUp(on subject: Subject, _ followUp: FollowUp) async throws
}

extension Change {
    package static var noPreparation: Preparation? { nil }
    package static var isPreparedForPreviews: Bool { false }
    package static var mayChangeNothing: Bool { false }
    package static var hasBulkForm: Bool { !needsVersion && route.root == .organization }
    package static var needsVersion: Bool { false }
    package static var worksInClosedOrganizations: Bool { false }
    package static var locksRoster: Bool { false }
    package static var locksSignIns: Bool { false }
    package var takesLong: Bool { false }
    package func followUp(on subject: Subject, _ followUp: FollowUp) {}

    /// Takes all locks of the transaction, before anything is read in it: what was read before a lock may have changed
    /// when the lock is there.
    static func lock(in transaction: WriteTransaction) throws {
        guard locksRoster else { return }
        try transaction.lockRoster(and: locksSignIns ? Departure.tables : [])
    }

    /// Holds a change to the version of its subject that the caller has seen, in an organization that has not ended.
    /// - Throws: ``OperationError/stale(version:)``; ``OperationError/invalid(field:reason:)`` for a version where there is
    ///   none to compare it with, and for none where one must be named; ``DirectoryError/organizationClosed(_:since:)``
    static func check(_ version: String?, of subject: Subject, in transaction: some Transaction) throws {
        if !worksInClosedOrganizations, let organization = subject.subjectOrganization {
            try Organization.find(organization, in: transaction)?.checkIsOpen()
        }
        guard let version else {
            guard !needsVersion else {
                throw OperationError.invalid(
                    field: "version",
                    reason: "is missing: nothing takes this back, so look at the preview first and name its version")
            }
            return
        }
        guard let current = try subject.version(in: transaction) else {
            throw OperationError.invalid(
                field: "version", reason: "cannot be compared, because what \(name) is about has none: leave it out")
        }
        guard version == current else { throw OperationError.stale(version: current) }
    }

    package func settle(
        _ preparation: Preparation, in database: any Database, _ settlement: Settlement<Self>
    ) async throws -> Settled<Self> {
        try await database.write { transaction in
            try Self.lock(in: transaction)
            return try settlement.settle(transaction) { subject, act in
                try carryOut(on: subject, preparation, in: act)
            }
        }
    }
}

/// A change that says what it would do by reading alone. All other changes are carried out and rolled back for their
/// previews, for which this one would write a row for each of many people or classes, and that for each look at a page.
package protocol ForeseenChange: Change {
    /// The effects that the change would record now.
    /// - Throws: what ``Change/carryOut(on:_:in:)`` would throw
    func foresee(on subject: Subject, in context: OperationContext, _ transaction: ReadTransaction) throws -> [Effect]
}

/// A change that works out its preview without being carried out, in a way and in transactions of its own, because it needs
/// files or takes long.
package protocol PlannedChange: Change {
    /// What the change would do.
    func plan(for subject: Subject, in context: OperationContext, _ database: any Database) async throws -> Preview
}

extension Change where Preparation == Void {
    package static var noPreparation: Void? { () }
    package func prepare(for subject: Subject, in context: OperationContext) {}
    package func blankPreparation(for subject: Subject, in context: OperationContext) {}
}

/// How a change is undone.
package enum UndoRule: Equatable, Sendable {
    /// By another change, which is passed to ``Act/undo(by:)`` each time.
    case possible
    /// It cannot be undone, for this reason: a sentence for people.
    case impossible(String)
}

/// The subject of an operation, once it is known that the caller may carry the operation out on it, and the context in
/// which that was asked.
package struct Admitted<O: Operation>: Sendable {
    let context: OperationContext
    let subject: O.Subject
}

/// What ``Change/followUp(on:_:)`` has for its work: the database, for transactions of its own, and who made the
/// change.
package struct FollowUp: Sendable {
    let database: any Database
    let surroundings: Surroundings
    let actor: Actor
    let origin: Origin
}

/// What all steps of an operation can use.
package struct OperationContext: Sendable {
    package let authority: Authority
    /// The organization that was named, or that of the caller. Nil if the operator named none, and for whoever belongs
    /// to none.
    package let organization: Organization?
    package let now: Date
    package let origin: Origin
    package let services: AdministrationServices
    /// Called with the progress of slow work: how many items are done, and how many there are.
    package var progress: @Sendable (_ done: Int, _ of: Int) async -> Void = { _, _ in }
}
