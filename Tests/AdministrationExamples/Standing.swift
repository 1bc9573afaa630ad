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

    /// Those who can try the example in one school, one after the other, and those who each need a school of their own.
    ///
    /// Whoever is refused, or only asks, leaves everything as it was. But for teachers: there is a class of each, and the operations are
    /// about the first.
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
        let (organization, location, other, pupil) = (school.organization.id, school.location.id, annex.id, pupil.id)
        let now = school.fixed.now
        return try await database.write { transaction in
            try standings.map { standing in
                let person = try Person.insert(
                    in: organization, givenName: "Holder", familyName: standing.role.rawValue,
                    userName: "holder-\(standing.role.rawValue)-\(standing.place)@maple.example", at: now,
                    in: transaction)
                let place: LocationID? =
                    switch standing.place {
                    case .all: nil
                    case .own: location
                    case .another: other
                    }
                try RoleAssignment(standing.role, at: place).insert(
                    for: person.id, of: organization, at: now, in: transaction)
                if standing.role == .instructor, standing.place != .another {
                    _ = try RosterClass.insert(
                        in: organization, name: "Art \(person.id.rawValue)", location: location,
                        instructors: [person.id], students: [pupil], at: now, in: transaction)
                }
                return person
            }
        }
    }
}
