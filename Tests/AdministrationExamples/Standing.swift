import Directory
import Fixtures
import Storage

/// A role for the whole organization, at the place of the pupil of a ``Scene``, or at another place.
package struct Standing: Hashable, Sendable, CustomStringConvertible {
    package enum Place: String, CaseIterable, Sendable { case all, own, another }

    package let role: Role
    package let place: Place

    package static let all = Role.allCases.flatMap { role in Place.allCases.map { Standing(role: role, place: $0) } }

    package init(role: Role, place: Place) {
        self.role = role
        self.place = place
    }

    /// Whether the ``Grid`` lets whoever stands so do it.
    package func may(_ example: Example) -> Bool {
        switch place {
        case .all: Grid.allowedOnAll(example.name).contains(role)
        case .own: Grid.allowedAtOwnPlace(example.name).contains(role)
        case .another: Grid.allowedAtAnotherPlace(example.name).contains(role)
        }
    }

    /// Those who can try the example in one school, one after the other, because they leave everything as it was: whoever is
    /// refused, and whoever only asks. The others need a school of their own.
    ///
    /// An Instructor who only asks needs one too. Each Instructor has a class, and an example about a class takes the first one.
    package static func shared(_ example: Example) -> (together: [Standing], alone: [Standing]) {
        let isInquiry = example.preview == nil
        let alone = all.filter { $0.may(example) && (!isInquiry || $0.role == .instructor) }
        return (all.filter { !alone.contains($0) }, alone)
    }

    package var description: String { "\(role.rawValue), place: \(place)" }
}

extension Scene {
    /// Somebody for each standing; Instructors teach the pupil, but for those at another place.
    package func insert(_ standings: [Standing]) async throws -> [Person] {
        try await database.write { transaction in
            try standings.map { standing in
                let place: LocationID? =
                    switch standing.place {
                    case .all: nil
                    case .own: school.location.id
                    case .another: annex.id
                    }
                return try insertHolder(
                    of: standing.role, at: place, teaches: standing.place != .another, in: transaction)
            }
        }
    }
}
