import Directory
import Foundation
import Storage

extension Authority {
    /// Records in the audit trail that the caller lacks a privilege for what they wanted.
    func noteRefusal(
        _ detail: String, from origin: Origin, at now: Date, in transaction: WriteTransaction
    ) throws {
        guard !isOperator else { return }
        // That of a personal account is told by the trail of the server.
        try AuditEntry(
            .administrationRefused, by: actor, on: organization.map { "organization:\($0.rawValue)" } ?? "server",
            outcome: .refused, detail: detail, from: origin
        ).append(to: organization, at: now, in: transaction)
    }
}

extension OperationFailure {
    /// What the audit trail says if the caller lacks the privilege for some of many items; nil if that is why none
    /// failed.
    static func refusalDetail(_ failures: [Int: OperationFailure], of operation: String) -> String? {
        let count = failures.values.count { $0.kind == .forbidden }
        return count == 0 ? nil : "\(operation) is not allowed for \(count) of its items"
    }
}
