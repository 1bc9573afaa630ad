/// Whom a plan concerns: a page of its people, and how many there are at each school.
package struct PlanListing: Codable, Equatable, Sendable {
    /// Which people a listing shows.
    package struct Query: Equatable, Sendable {
        /// Empty: all.
        package var effects: Set<PlannedPerson.Effect>
        /// `location_id` of a place where the people are, or were.
        package var location: String?
        /// ``next`` of the page before.
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

    /// How many people an import concerns at one school. Whoever is at two counts at both.
    package struct School: Codable, Equatable, Sendable {
        package let locationID: String
        package let name: String
        package internal(set) var people: [String: Int]

        package func count(_ effect: PlannedPerson.Effect) -> Int { people[effect.rawValue, default: 0] }
    }

    /// Of all people of the plan, whatever the page shows.
    package let schools: [School]
    package let people: [PlannedPerson]
    /// Goes into ``Query/after``; nil on the last page.
    package let next: Int?
}

/// What an import would do to a person.
package struct PlannedPerson: Codable, Equatable, Sendable {
    package enum Effect: String, Codable, CaseIterable, Sendable {
        case comes
        /// Gets the id of somebody else, who leaves.
        case comesInstead = "comes_instead"
        case returns
        case changes
        case leaves
    }

    /// A column that gets another value. A side without value is nil.
    package struct Change: Codable, Equatable, Sendable {
        package let field: String
        package let before: String?
        package let after: String?
    }

    package let effect: Effect
    package let personID: String?
    package let name: String
    /// The row; nil for those who leave.
    package let file: String?
    package let line: Int?
    /// The names of the schools as the files give them; for those who leave, as the records do.
    package internal(set) var schools: [String] = []
    package internal(set) var changes: [Change] = []
}
