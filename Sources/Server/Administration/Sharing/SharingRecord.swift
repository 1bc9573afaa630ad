import Authorization
import Directory
import Foundation
import Storage

/// What an organization shares with an app. A limit that is not there lets everything through.
package struct SharingRecord: Codable, Equatable, Sendable, Versioned {
    /// A location or a class.
    package struct Named: Codable, Equatable, Sendable {
        /// `LO:` or `CL-`, and a number.
        package let id: String
        /// Nil if it was archived or removed since.
        package let name: String?
    }

    package struct LeftOut: Codable, Equatable, Sendable {
        package let number: Int64
        /// Nil if the caller may not read the organization's people; so is the user name then.
        package let name: String?
        package let userName: String?
    }

    package let app: String
    package let appNumber: Int64
    package let locations: [Named]?
    /// Whether ``locations`` has the organization itself too; nil if places are not limited.
    package let organizationItself: Bool?
    package let grades: [String]?
    package let roles: [RosterRole]?
    package let classes: [Named]?
    package let withheld: [SharedField]
    package let leftOut: [LeftOut]
    /// How many people the app sees: in a large organization when they were counted last, as ``SharingCount`` says.
    package let people: Int
    /// How many classes the app sees, counted as ``people``.
    package let classCount: Int
    /// Whether one of them is the number of the last count, which may be an hour old.
    package let countsAreKept: Bool
    package let version: String

    init(_ shared: SharedApp, for authority: Authority, at now: Date, in transaction: some Transaction) throws {
        let organization = shared.organization
        let namesPeople = authority.has(.readPeople, in: organization.id)
        let rules = try shared.rules(in: transaction)
        let view = try RosterView(of: organization, for: shared.app.id, at: now, in: transaction)
        app = shared.app.name
        appNumber = shared.app.id.rawValue
        locations = try rules.locations.map { ids in
            try ids.subtracting([.none]).sorted().map { id in
                Named(
                    id: "LO:\(id.rawValue)",
                    name: try Location.findAlsoArchived(id, in: organization.id, transaction)?.name)
            }
        }
        organizationItself = rules.locations.map { $0.contains(.none) }
        grades = rules.grades?.sorted()
        roles = rules.roles.map { roles in RosterRole.allCases.filter(roles.contains) }
        classes = try rules.classes.map { ids in
            try ids.sorted().map { id in
                let found = try ManagedClass.find(id, in: organization.id, transaction)
                return Named(id: "CL-\(id.rawValue)", name: found?.displayName ?? found?.name)
            }
        }
        withheld = SharedField.allCases.filter(rules.withheld.contains)
        leftOut = try rules.leftOut.sorted().compactMap { id in
            try Person.find(id, in: transaction).map {
                LeftOut(
                    number: id.rawValue, name: namesPeople ? $0.fullName : nil,
                    userName: namesPeople ? $0.userName : nil)
            }
        }
        people = try view.people(in: transaction)
        classCount = try view.classes(in: transaction)
        countsAreKept = try view.sharing.countsAreKept(of: organization.id, in: transaction)
        version = Self.version(of: rules)
    }

    /// Counts are left out, so that an edit of the rules does not become stale because somebody joins or leaves.
    static func version(of rules: SharingRules) -> String {
        func list(_ values: (some Sequence<String>)?) -> String {
            values.map { $0.sorted().joined(separator: "\u{1}") } ?? "\u{2}"
        }
        let parts = [
            list(rules.locations?.map { "\($0.rawValue)" }), list(rules.grades), list(rules.roles?.map(\.rawValue)),
            list(rules.classes?.map { "\($0.rawValue)" }), list(rules.withheld.map(\.rawValue)),
            list(rules.leftOut.map { "\($0.rawValue)" }),
        ]
        return .version(of: parts.joined(separator: "\u{0}").utf8)
    }
}
