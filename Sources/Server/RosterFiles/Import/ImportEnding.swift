import Directory
import Foundation
import Storage

/// What is done around the end of an import, in the transaction that changes the records, or that notes why nothing is
/// changed. An import that only makes a plan has no end.
package struct ImportEnding: Sendable {
    /// What the audit trail has of an import.
    package enum Event: Equatable, Sendable {
        /// - Parameters:
        ///   - schools: the schools whose files they are; empty for files of the whole organization. The other cases
        ///     have it in the same meaning.
        ///   - summary: what has changed, in numbers.
        case applied(importID: Int, schools: [LocationID], _ summary: String)
        case held(planID: String, schools: [LocationID])
        /// An import was held, and the files match the records by now.
        case nothingToDo(schools: [LocationID])
    }

    /// Why files are kept.
    package enum Use: Equatable, Sendable {
        case applied(importID: Int)
        case held(planID: String)
    }

    /// Runs the work of the transaction, which hands over what the audit trail is to have.
    package typealias Settle =
        @Sendable (
            _ transaction: WriteTransaction, _ work: (_ note: (Event) throws -> Void) throws -> ImportReport
        ) throws -> ImportReport

    /// Called when the import is held, unless the same plan was held the last time. `schools` has the names of those
    /// whose files they are, and is nil for files of the whole organization.
    package typealias OnHeld =
        @Sendable (_ counts: ImportCounts, _ schools: String?, _ transaction: WriteTransaction) throws -> Void

    /// Keeps the files and the report, if there was something to do.
    package typealias Keep =
        @Sendable (
            _ package: RosterPackage, _ use: Use, _ report: ImportReport, _ transaction: WriteTransaction
        ) throws -> Void

    let settle: Settle
    let onHeld: OnHeld
    /// Whether ``keep`` is to be called.
    let keeps: Bool
    let keep: Keep

    /// - Parameter keep: nil to keep no files.
    package init(onHeld: @escaping OnHeld, keep: Keep?, settle: @escaping Settle) {
        self.settle = settle
        self.onHeld = onHeld
        self.keeps = keep != nil
        self.keep = keep ?? { _, _, _, _ in }
    }

    /// An ending that writes the audit trail, and does nothing else.
    package static func noting(
        by actor: Actor, from origin: Origin, in organization: OrganizationID, at now: Date,
        onHeld: @escaping OnHeld = { _, _, _ in }
    ) -> ImportEnding {
        ImportEnding(onHeld: onHeld, keep: nil) { transaction, work in
            try work { event in
                try AuditEntry(
                    .rosterImported, by: actor, on: event.subject(in: organization), outcome: event.outcome,
                    detail: event.detail, from: origin
                ).append(to: organization, at: now, in: transaction)
            }
        }
    }
}

extension ImportEnding.Event {
    package var outcome: AuditEntry.Outcome {
        switch self {
        case .applied, .nothingToDo: .done
        case .held: .refused
        }
    }

    /// What the entry in the audit trail is about.
    package func subject(in organization: OrganizationID) -> String {
        switch self {
        case .applied(let importID, _, _): "import:\(importID)"
        case .held, .nothingToDo: "organization:\(organization.rawValue)"
        }
    }

    package var detail: String {
        switch self {
        case .applied(_, let schools, let summary): ImportTrail.applied(of: schools, summary)
        case .held(let planID, let schools): ImportTrail.held(planID, of: schools)
        case .nothingToDo(let schools): ImportTrail.nothingToDo(for: schools)
        }
    }
}
