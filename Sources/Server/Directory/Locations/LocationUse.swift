import Foundation
import Storage

/// What stands at a location and keeps it from being removed. What is over, archived or closed keeps nothing: it stays with
/// the location, and is there again when the location is restored.
package struct LocationUse: Codable, Equatable, Sendable {
    /// How far people and classes are counted: whoever looks for what to move first needs no more, and each of the people
    /// has to be looked at.
    package static let countedMax = 100

    /// How many people hold a role at it that is not over; ``countedMax`` + 1 where there are more than ``countedMax``.
    /// Deactivated people are included only if files may bring them back with a role that they were given by hand.
    package let people: Int
    /// How many classes it has, or has the course of, but for archived ones; counted as people.
    package let classes: Int
    /// The names of its terms that are not closed.
    package let terms: [String]
    /// The numbers of the folders from which its files are imported each day.
    package let pickUps: [Int64]
    /// The ids of the plans for files of its own that wait for approval.
    package let heldImports: [String]

    package var isEmpty: Bool {
        people == 0 && classes == 0 && terms.isEmpty && pickUps.isEmpty && heldImports.isEmpty
    }
}

extension Location {
    package func use(at now: Date, in transaction: some Transaction) throws -> LocationUse {
        LocationUse(
            people: try countStandingHolders(at: now, in: transaction),
            classes: try countStandingClasses(in: transaction),
            terms: try Term.list(of: organizationID, in: transaction)
                .filter { $0.location == id && $0.closedAt == nil }.map(\.name),
            pickUps: try RosterPickUp.list(of: organizationID, in: transaction)
                .filter { $0.location == id }.map(\.id),
            heldImports: try HeldImport.list(of: organizationID, in: transaction)
                .filter { $0.schools.contains(id) }.compactMap(\.planID))
    }
}
