import Directory
import Foundation
import Storage

extension Administrator {
    /// Undoes a change by the operation that was recorded with it. The caller needs the privilege of that operation, as
    /// if they had asked for it directly.
    /// - Parameter number: ``Done/change``.
    /// - Throws: ``OperationError/stale(version:)`` if the subject was changed again afterwards;
    ///   ``OperationError/refused(_:remedy:)`` if the change was undone before.
    package func undo(
        _ number: Int64, in organization: OrganizationReference = .only
    ) async throws -> [Effect] {
        let record = try await find(number, in: organization)
        guard let type = OperationCatalog.change(named: record.undoOperation) else {
            throw OperationError.refused("Change \(number) was made by an older version and cannot be undone.")
        }
        return try await undo(record, by: type, in: organization)
    }

    private func undo<C: Change>(
        _ record: ChangeRecord, by type: C.Type, in organization: OrganizationReference
    ) async throws -> [Effect] {
        let change = try JSONDecoder().decode(type, from: Data(record.undoInput.utf8))
        do {
            return try await perform(
                change, in: organization, ifVersion: record.version,
                Surrounding(before: { act in
                    act.undoing = record
                    guard try record.markUndone(at: act.now, in: act.transaction) else { throw record.isUndone }
                })
            ).effects
        } catch OperationError.notFound(let kind, let text, let place) {
            // The caller has named nothing but the number of a change, so that an error about, say, an unknown class
            // would make no sense to them.
            throw OperationError.refused(
                """
                Change \(record.id) cannot be taken back, because something that it was about is gone since. \
                \(OperationError.notFound(kind, text, in: place))
                """)
        }
    }

    private func find(_ number: Int64, in organization: OrganizationReference) async throws -> ChangeRecord {
        try await database.read { transaction in
            let authority = try authority(in: transaction)
            guard let found = try ChangeRecord.find(number, in: transaction),
                authority.reaches(found.organization, found.team)
            else { throw OperationError.notFound(.change, "\(number)", in: nil) }
            guard found.undoneAt == nil else { throw found.isUndone }
            return found
        }
    }
}

extension ChangeRecord {
    fileprivate var isUndone: OperationError { .refused("Change \(id) is undone already.") }
}
