/// Something that carries out operations: an ``Administrator`` on the database itself, or the API of a server.
package protocol Administrating: Sendable {
    /// - Throws: ``OperationError`` or ``OperationFailure`` if the operation is refused.
    func ask<I: Inquiry>(_ inquiry: I, in organization: OrganizationReference) async throws -> I.Answer

    /// - Throws: the errors of ``ask(_:in:)``, and `DirectoryError`; then nothing is changed.
    func perform<C: Change>(
        _ change: C, in organization: OrganizationReference, ifVersion version: String?
    ) async throws -> Done<C.Answer>

    /// - Throws: the errors of ``perform(_:in:ifVersion:)``
    func preview<C: Change>(
        _ change: C, in organization: OrganizationReference, ifVersion version: String?
    ) async throws -> Preview

    /// - Throws: the errors of ``perform(_:in:ifVersion:)``
    func undo(_ change: Int64, in organization: OrganizationReference) async throws -> [Effect]
}

extension Administrating {
    package func ask<I: Inquiry>(_ inquiry: I) async throws -> I.Answer { try await ask(inquiry, in: .only) }

    package func perform<C: Change>(
        _ change: C, in organization: OrganizationReference = .only
    ) async throws -> Done<C.Answer> {
        try await perform(change, in: organization, ifVersion: nil)
    }

    package func preview<C: Change>(
        _ change: C, in organization: OrganizationReference = .only
    ) async throws -> Preview {
        try await preview(change, in: organization, ifVersion: nil)
    }
}

extension Administrator: Administrating {
    package func perform<C: Change>(
        _ change: C, in organization: OrganizationReference, ifVersion version: String?
    ) async throws -> Done<C.Answer> {
        try await perform(change, in: organization, ifVersion: version, once: nil)
    }
}
