/// The people whom a plan concerns: one page of them, and their number at each school.
package struct PlanListing: Codable, Equatable, Sendable {
    /// Which people a listing shows.
    package struct Query: Equatable, Sendable {
        /// The effects to show; all if it is empty.
        package var effects: Set<PlannedPerson.Effect>
        /// `location_id` of a place where the people are, or were.
        package var location: String?
        /// The value of ``next`` on the page before; 0 for the first page.
        package var after: Int
        package var limit: Int

        package init(
            effects: Set<PlannedPerson.Effect> = [], location: String? = nil, after: Int = 0, limit: Int = 100
        ) {
            self.effects = effects
            self.location = location
            self.after = after
            self.limit = limit
        }
    }

    /// How many people an import concerns at one school. A person at two schools counts at both.
    package struct School: Codable, Equatable, Sendable {
        package let locationID: String
        package let name: String
        package internal(set) var people: [String: Int]

        package func count(_ effect: PlannedPerson.Effect) -> Int { people[effect.rawValue, default: 0] }
    }

    /// Numbers over all people of the plan, whatever the page shows.
    package let schools: [School]
    package let people: [PlannedPerson]
    /// The value of ``Query/after`` for the next page; nil on the last one.
    package let next: Int?

    package init(schools: [School], people: [PlannedPerson], next: Int?) {
        self.schools = schools
        self.people = people
        self.next = next
    }
}

/// What an import would do to a person.
package struct PlannedPerson: Codable, Equatable, Sendable {
    package enum Effect: String, Codable, CaseIterable, Sendable {
        case comes
        /// A new person who gets the id of somebody who leaves.
        case comesInstead = "comes_instead"
        case returns
        case changes
        case leaves
    }

    /// A column whose value changes; nil on a side means that it has none.
    package struct Change: Codable, Equatable, Sendable {
        package let field: String
        package let before: String?
        package let after: String?
    }

    package let effect: Effect
    package let personID: String?
    package let name: String
    /// The file with the person's row; nil for those who leave, or leave one of their schools.
    package let file: String?
    package let line: Int?
    /// School names as in the files; for those who leave, as in the records.
    package internal(set) var schools: [String] = []
    package internal(set) var changes: [Change] = []
}
