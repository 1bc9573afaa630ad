import Directory
import Storage

/// Shows one location, and how much belongs to it: numbers, and no names of people.
package struct ShowLocation: Inquiry {
    package static let name = "location.show"
    package static let summary =
        "Shows one location, and how many people, roles and classes belong to it, and what keeps it from being removed."
    package static let privilege = Privilege.manageLocations
    package static let route = OperationRoute(.get, "locations/{location}")
    package static let explanations = ["location": LocationReference.explanation]

    /// How many hold a role at the location.
    package struct Holders: Codable, Equatable, Sendable {
        package let role: Role
        package let number: Int
    }

    package struct Answer: Codable, Equatable, Sendable {
        package let location: LocationRecord
        /// How many people hold a role at it, deactivated people included. Each number here is exact up to 1 000, and
        /// 1 001 where there are more.
        package let people: Int
        /// The roles that somebody holds at it. A person with several counts for each.
        package let roles: [Holders]
        /// How many classes it has, but for archived ones.
        package let classes: Int
        /// The numbers of the folders from which its files are imported each day.
        package let pickUps: [Int64]
        /// What has to be moved or closed before it can be removed. Its numbers are exact up to 100, and 101 where there are
        /// more.
        package let use: LocationUse
    }

    package let location: LocationReference

    package init(location: LocationReference) { self.location = location }

    package func subject(in context: OperationContext, _ transaction: some Transaction) throws -> Location {
        try location.find(in: context.requiredOrganization(transaction), expectingArchived: false, transaction)
    }

    package func answer(
        about subject: Location, in context: OperationContext, _ transaction: some Transaction
    ) throws -> Answer {
        let use = try subject.use(at: context.now, in: transaction)
        let holders = try subject.holders(in: transaction)
        return Answer(
            location: LocationRecord(subject), people: holders.people,
            roles: holders.roles.map { Holders(role: $0.role, number: $0.number) },
            classes: try subject.countClasses(in: transaction),
            pickUps: use.pickUps, use: use)
    }
}
