import Crypto
import Directory
import Foundation
import Ground
import Storage

extension RosterState {
    /// Stands for these files on the organization as it is: an approval names it, and is void once either has changed.
    /// - Parameter newPeople: ids that pass to new people.
    func planID(digest: String, counts: ImportCounts, newPeople: Set<String>) -> String {
        let parts = parts + [digest, counts.json] + newPeople.sorted()
        let hash = SHA256.hash(data: Data(parts.map { "\($0.utf8.count):\($0)" }.joined().utf8))
        // 80 bits: short enough to be typed, far beyond what could be met by chance.
        return Array(hash.prefix(10)).hexadecimal
    }
}
