import Directory
import Storage

/// A list that apps read page by page: who may read it, and how one page is found.
package struct RosterList<Record: Sendable>: Sendable {
    /// The name in the audit trail.
    let name: String
    /// What page tokens are bound to. It differs from ``name`` where one name stands for many lists.
    let endpoint: String
    /// Whether an app with these scopes may read the list.
    let isAllowed: @Sendable (ScopeSet) -> Bool
    /// The roles by which the list can be filtered; if empty, the parameter `role` is ignored.
    let roles: [RosterRole]
    /// Whether the organization has such a list.
    let exists: @Sendable (OrganizationID, ReadTransaction) throws -> Bool
    /// The next `limit` records after `page.last`, in the order of ``id``.
    let read: @Sendable (OrganizationID, RosterPageRequest, _ limit: Int, ReadTransaction) throws -> [Record]
    let id: @Sendable (Record) -> Int64

    fileprivate init(
        _ name: String, endpoint: String? = nil, roles: [RosterRole] = [],
        where isAllowed: @escaping @Sendable (ScopeSet) -> Bool, id: @escaping @Sendable (Record) -> Int64,
        exists: @escaping @Sendable (OrganizationID, ReadTransaction) throws -> Bool = { _, _ in true },
        read: @escaping @Sendable (OrganizationID, RosterPageRequest, Int, ReadTransaction) throws -> [Record]
    ) {
        self.name = name
        self.endpoint = endpoint ?? name
        self.isAllowed = isAllowed
        self.roles = roles
        self.exists = exists
        self.read = read
        self.id = id
    }
}

extension RosterList<RosterPerson> {
    package static var users: Self {
        Self("users", roles: RosterRole.allCases, where: \.readsUsers, id: \.id.rawValue) {
            try RosterPerson.page(
                of: $0, role: $1.role, after: PersonID(rawValue: $1.last), limit: $2, in: $3)
        }
    }

    /// - Parameter id: nil if the app has named something that is not the id of a class; the class is then not found.
    package static func users(ofClass id: ClassID?) -> Self {
        let none = ClassID(rawValue: 0)  // ids begin at 1
        let id = id ?? none
        return Self(
            "classes/users", endpoint: "classes/\(id.rawValue)/users", roles: [.student, .instructor],
            // The people of a class need both scopes, because both people and classes are read.
            where: { $0.readsUsers && $0.readsClasses }, id: \.id.rawValue,
            exists: { try id != none && RosterClass.exists(id, in: $0, $1) }
        ) {
            try RosterPerson.page(
                ofClass: id, role: $1.role, after: PersonID(rawValue: $1.last), limit: $2, in: $3)
        }
    }
}

extension RosterList<RosterClass> {
    package static var classes: Self {
        Self("classes", where: \.readsClasses, id: \.id.rawValue) {
            try RosterClass.page(of: $0, after: ClassID(rawValue: $1.last), limit: $2, in: $3)
        }
    }
}

extension RosterList<RosterLocation> {
    package static var locations: Self {
        Self("locations", where: \.readsUsersOrClasses, id: \.id.rawValue) {
            let locations = try Location.page(
                of: $0, after: LocationID(rawValue: $1.last), limit: $2, in: $3)
            let defaults = try LocationDefaults.find(of: $0, in: $3)
            return locations.map { RosterLocation($0, defaults) }
        }
    }
}
