import Crypto
import Directory
import Foundation
import Ground
import Storage

extension RosterState {
    /// Identifies this plan in an approval. It depends on the files and on the organization's records, so an approval
    /// is void when either changes.
    /// - Parameters:
    ///   - newPeople: ids that pass to new people by the caller's wish.
    ///   - term: to which the classes of the files belong by the caller's wish.
    func planID(digest: String, counts: ImportCounts, newPeople: Set<String>, term: TermID?) -> String {
        let parts = parts + [digest, counts.json] + (term.map { ["term \($0.rawValue)"] } ?? []) + newPeople.sorted()
        let hash = SHA256.hash(data: Data(parts.map { "\($0.utf8.count):\($0)" }.joined().utf8))
        // 80 bits: short enough to type, and long enough that two plans never get the same id by chance.
        return Array(hash.prefix(10)).hexadecimal
    }
}
