import Directory
import Storage

/// A record that apps read by itself: who may read it, and how it is found.
package struct RosterRecord<Value: Sendable>: Sendable {
    /// The name in the audit trail.
    let name: String
    /// Whether an app with these scopes may read the record.
    let isAllowed: @Sendable (ScopeSet) -> Bool
    /// The record, and what the audit trail says of it; nil if the app sees no such record.
    let find: @Sendable (RosterView, PairwiseIdentifiers, ReadTransaction) throws -> (Value, RosterTrace)?

    fileprivate init(
        _ name: String, where isAllowed: @escaping @Sendable (ScopeSet) -> Bool,
        find:
            @escaping @Sendable (RosterView, PairwiseIdentifiers, ReadTransaction) throws -> (Value, RosterTrace)?
    ) {
        self.name = name
        self.isAllowed = isAllowed
        self.find = find
    }
}

extension RosterRecord<RosterPerson> {
    /// - Parameter text: the person's id for the app's team. An id of another team or organization is refused without a
    ///   look-up.
    package static func user(_ text: String) -> Self {
        Self("users/one", where: \.readsUsers) { view, identifiers, transaction in
            let organization = view.organization.id
            guard let id = identifiers.person(text, in: organization) else { return nil }
            return try RosterPerson.find(id, in: organization, through: view.sharing, at: view.now, transaction).map {
                ($0, .one("user", id.rawValue, of: .people))
            }
        }
    }
}

extension RosterRecord<RosterClass> {
    /// - Parameter id: nil if the app has named something that is not the id of a class; the class is then not found.
    package static func `class`(_ id: ClassID?) -> Self {
        Self("classes/one", where: \.readsClasses) { view, _, transaction in
            guard let id else { return nil }
            return try RosterClass.find(id, in: view.organization.id, through: view.sharing, transaction).map {
                ($0, .one("class", id.rawValue, of: .classes))
            }
        }
    }
}

extension RosterRecord<RosterOrganization> {
    package static var organization: Self {
        Self("organization", where: \.readsUsersOrClasses) { view, _, transaction in
            let organization = view.organization
            let domains = try Domain.list(of: organization.id, in: transaction)
            return (RosterOrganization(organization: organization, domains: domains), RosterTrace("organization"))
        }
    }
}

extension RosterRecord<RosterLocation> {
    /// - Parameter id: nil if the app has named something that is not the id of a location; the location is then not
    ///   found.
    package static func location(_ id: LocationID?) -> Self {
        Self("locations/one", where: \.readsUsersOrClasses) { view, _, transaction in
            let organization = view.organization
            guard let id, let location = try Location.find(id, in: organization.id, transaction) else { return nil }
            let defaults = try LocationDefaults.find(of: organization.id, in: transaction)
            return (RosterLocation(location, defaults), RosterTrace("location \(id.rawValue)"))
        }
    }
}
