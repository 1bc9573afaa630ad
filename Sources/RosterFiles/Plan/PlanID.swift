import Crypto
import Directory
import Foundation
import Storage

extension RosterDifferences {
    /// Stands for these files on the organization as it is: an approval names it, and is void once either has changed.
    ///
    /// Every change of a record moves its `modified_at`, and that of the class or person that a membership or role
    /// belongs to; so the sums over each type change with it.
    func planID(of organization: Organization, digest: String, counts: ImportCounts) throws -> String {
        var parts = [organization.publicID, organization.userNameFormat.text, digest, counts.json]
        let imports = try transaction.first(
            "SELECT COALESCE(MAX(id), 0), COUNT(undone_at) FROM roster_import WHERE organization_id = $1",
            [organization.id]
        ) { "\(try $0[0] as Int) \(try $0[1] as Int)" }
        parts.append(imports ?? "")
        for table in ["location", "person", "course", "class"] {
            let state = try transaction.first(
                """
                SELECT COUNT(*), COALESCE(SUM(modified_at), 0), COALESCE(MAX(id), 0) FROM \(table)
                WHERE organization_id = $1
                """,
                [organization.id]
            ) { "\(try $0[0] as Int) \(try $0[1] as Int) \(try $0[2] as Int)" }
            parts.append(state ?? "")
        }
        let hash = SHA256.hash(data: Data(parts.map { "\($0.utf8.count):\($0)" }.joined().utf8))
        // 80 bits: short enough to be typed, far beyond what could be met by chance.
        return Array(hash.prefix(10)).hexadecimal
    }
}
