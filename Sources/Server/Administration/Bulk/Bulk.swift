import Directory
import Foundation
import Storage

/// The same change for many subjects, in one transaction. Each item is checked, audited and recorded as if it were
/// carried out alone.
package struct Bulk<C: Change>: Change {
    /// What happens to the other items if some cannot be done.
    package enum Mode: String, Codable, CaseIterable, Sendable {
        /// Nothing is done, and the error lists all items that failed.
        case all
        /// All items that can be done are done.
        case each
    }

    package struct Answer: Codable, Sendable {
        package let done: Int
        package let failed: Int
        /// One outcome for each item, in the order of the items.
        package let items: [Outcome]
    }

    package struct Outcome: Codable, Sendable {
        package let result: C.Answer?
        /// The number with which the item can be undone; nil if it cannot.
        package let change: Int64?
        package let failure: OperationFailure?
    }

    package static var name: String { C.name + ".bulk" }
    package static var summary: String { "For many at once: \(C.summary)" }
    package static var privilege: Privilege { C.privilege }
    package static var route: OperationRoute { OperationRoute(.post, "bulk/\(C.name)", bodyBytesMax: 16 << 20) }
    package static var explanations: [String: String] {
        [
            "items": "The inputs of each, \(itemsMax) at most.",
            "mode": "Whether all or none are done, or each that can be; `all` if it is left out.",
        ]
    }
    package static var undo: UndoRule { .impossible("Each item has a number of its own by which it is taken back.") }

    package static var mayChangeNothing: Bool { true }
    package static var worksInClosedOrganizations: Bool { C.worksInClosedOrganizations }
    package static var worksInSandboxes: Bool { C.worksInSandboxes }

    package var takesLong: Bool { items.count > (Self.preparesNothing ? 1_000 : 20) }

    static var itemsMax: Int { 10_000 }

    private static var preparesNothing: Bool { C.noPreparation != nil }

    package let items: [C]
    package let mode: Mode?

    package init(items: [C], mode: Mode) {
        self.items = items
        self.mode = mode
    }

    package func subject(in context: OperationContext, _ transaction: some Transaction) throws -> BulkSubject<C> {
        // Before anything is looked up, which would take hours for a million.
        guard (1...Self.itemsMax).contains(items.count) else {
            throw OperationError.invalid(field: "items", reason: "are none, or more than \(Self.itemsMax)")
        }
        return BulkSubject(
            organization: try context.requiredOrganization(transaction),
            // Only `prepare` needs the subjects now. Most changes prepare nothing, and find their subjects when they
            // are carried out.
            subjects: Self.preparesNothing
                ? []
                : try items.map { item in try Self.result { try context.admitted(item, transaction) } })
    }

    package func prepare(
        for subject: BulkSubject<C>, in context: OperationContext
    ) async throws -> [Result<C.Preparation, OperationFailure>] {
        var prepared: [Result<C.Preparation, OperationFailure>] = []
        for (item, subject) in zip(items, subject.subjects) {
            switch subject {
            case .success(let subject):
                do {
                    prepared.append(.success(try await item.prepare(for: subject, in: context)))
                } catch {
                    guard let failure = OperationFailure(error) else { throw error }
                    prepared.append(.failure(failure))
                }
            case .failure(let failure): prepared.append(.failure(failure))
            }
            await context.progress(prepared.count, items.count)
        }
        return prepared
    }

    package func blankPreparation(
        for subject: BulkSubject<C>, in context: OperationContext
    ) -> [Result<C.Preparation, OperationFailure>] {
        zip(items, subject.subjects).map { item, subject in
            subject.map { item.blankPreparation(for: $0, in: context) }
        }
    }

    package func carryOut(
        on _: BulkSubject<C>, _ prepared: [Result<C.Preparation, OperationFailure>], in act: Act
    ) throws -> Answer {
        var outcomes: [Outcome] = []
        for (index, item) in items.enumerated() {
            let outcome = try Self.result {
                try act.transaction.attempt {
                    try carryOut(item, C.noPreparation ?? prepared[index].get(), in: act)
                }
            }
            switch outcome {
            case .success(let outcome): outcomes.append(outcome)
            case .failure(let failure): outcomes.append(Outcome(result: nil, change: nil, failure: failure))
            }
        }
        let failures = outcomes.enumerated().reduce(into: [:]) { $0[$1.offset] = $1.element.failure }
        if mode != .each, !failures.isEmpty { throw OperationError.items(failures) }
        if let detail = OperationFailure.refusalDetail(failures, of: Self.name) {
            try act.context.authority.noteRefusal(detail, from: act.origin, at: act.now, in: act.transaction)
        }
        return Answer(done: items.count - failures.count, failed: failures.count, items: outcomes)
    }

    private func carryOut(_ item: C, _ preparation: C.Preparation, in act: Act) throws -> Outcome {
        let part = Act(act.context, act.transaction)
        let subject = try act.context.admitted(item, act.transaction)
        let answer = try item.carryOut(on: subject, preparation, in: part)
        act.include(part)
        return Outcome(
            result: answer,
            change: try part.undo.map { try ChangeRecord.insert(C.self, about: subject, undo: $0, in: part) },
            failure: nil)
    }

    /// Returns refusals as values, and throws all other errors.
    private static func result<Value>(_ body: () throws -> Value) throws -> Result<Value, OperationFailure> {
        do {
            return .success(try body())
        } catch {
            guard let failure = OperationFailure(error) else { throw error }
            return .failure(failure)
        }
    }
}

/// The subjects of a ``Bulk`` change. Whether the caller may change them is asked for each one separately.
package struct BulkSubject<C: Change>: OperationSubject {
    let organization: Organization
    let subjects: [Result<C.Subject, OperationFailure>]

    package var subjectOrganization: OrganizationID? { organization.id }
    package var auditName: String { organization.auditName }

    package func isOpen(
        to authority: Authority, for privilege: Privilege, in transaction: some Transaction
    ) -> Bool { authority.has(privilege) }
}
