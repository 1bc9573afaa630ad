import Foundation
import Storage

extension AuditRecord {
    /// When the last entry of any chain was written, nil if there is none.
    package static func latest(in transaction: some Transaction) throws -> Date? {
        try transaction.first("SELECT MAX(at) FROM audit_entry") { try $0[0] as Date? } ?? nil
    }
}
