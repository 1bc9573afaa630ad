import Crypto
import Directory
import Foundation
import Ground
import Storage

extension RosterState {
    /// Identifies this plan in an approval. It depends on the files and on the organization's records, so an approval
    /// is void when either changes. A plan for single schools depends on the records that it concerns.
    /// - Parameters:
    ///   - newPeople: ids that pass to new people by the caller's wish.
    ///   - term: to which the classes of the files belong by the caller's wish.
    ///   - schools: for single schools, their ids and what the plan would do: see
    ///     ``RosterDifferences/schoolParts(_:)``. Empty for the whole organization.
    func planID(
        digest: String, counts: ImportCounts, newPeople: Set<String>, term: TermID?, schools: [String]
    ) -> String {
        let parts =
            (schools.isEmpty ? parts : settings + schools) + [digest, counts.json]
            + (term.map { ["term \($0.rawValue)"] } ?? []) + newPeople.sorted()
        let hash = SHA256.hash(data: Data(parts.map { "\($0.utf8.count):\($0)" }.joined().utf8))
        // 80 bits: short enough to type, and long enough that two plans never get the same id by chance.
        return Array(hash.prefix(10)).hexadecimal
    }
}
