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
    /// Whether the list is there for the app. The list of a class is not, if the organization has no such class or
    /// keeps it from the app.
    let exists: @Sendable (RosterView, ReadTransaction) throws -> Bool
    /// The next `limit` records after `page.last`, in the order of ``id``.
    let read: @Sendable (RosterView, RosterPageRequest, _ limit: Int, ReadTransaction) throws -> [Record]
    let id: @Sendable (Record) -> Int64
    /// What kind of records have the ids that ``id`` gives, so that entries of the audit trail are found by them; nil
    /// for records of which nobody asks who has read them, such as locations.
    let records: AuditMention.Records?
    /// The class whose people are listed; nil for all other lists.
    let classID: ClassID?

    fileprivate init(
        _ name: String, of records: AuditMention.Records? = nil, inClass classID: ClassID? = nil,
        endpoint: String? = nil, roles: [RosterRole] = [],
        where isAllowed: @escaping @Sendable (ScopeSet) -> Bool, id: @escaping @Sendable (Record) -> Int64,
        exists: @escaping @Sendable (RosterView, ReadTransaction) throws -> Bool = { _, _ in true },
        read: @escaping @Sendable (RosterView, RosterPageRequest, Int, ReadTransaction) throws -> [Record]
    ) {
        self.name = name
        self.endpoint = endpoint ?? name
        self.isAllowed = isAllowed
        self.roles = roles
        self.exists = exists
        self.read = read
        self.id = id
        self.records = records
        self.classID = classID
    }
}

extension RosterList<RosterPerson> {
    package static var users: Self {
        Self("users", of: .people, roles: RosterRole.allCases, where: \.readsUsers, id: \.id.rawValue) {
            try RosterPerson.page(
                of: $0.organization.id, role: $1.role, through: $0.sharing, after: PersonID(rawValue: $1.last),
                limit: $2, at: $0.now, in: $3)
        }
    }

    /// - Parameter id: nil if the app has named something that is not the id of a class; the class is then not found.
    package static func users(ofClass id: ClassID?) -> Self {
        let none = ClassID(rawValue: 0)  // ids begin at 1
        let id = id ?? none
        return Self(
            "classes/users", of: .people, inClass: id, endpoint: "classes/\(id.rawValue)/users",
            roles: [.student, .instructor],
            // The people of a class need both scopes, because both people and classes are read.
            where: { $0.readsUsers && $0.readsClasses }, id: \.id.rawValue,
            exists: { try id != none && RosterClass.exists(id, in: $0.organization.id, through: $0.sharing, $1) }
        ) {
            try RosterPerson.page(
                ofClass: id, role: $1.role, through: $0.sharing, after: PersonID(rawValue: $1.last), limit: $2,
                at: $0.now, in: $3)
        }
    }
}

extension RosterList<RosterClass> {
    package static var classes: Self {
        Self("classes", of: .classes, where: \.readsClasses, id: \.id.rawValue) {
            try RosterClass.page(
                of: $0.organization.id, through: $0.sharing, after: ClassID(rawValue: $1.last), limit: $2, in: $3)
        }
    }
}

extension RosterList<RosterLocation> {
    package static var locations: Self {
        Self("locations", where: \.readsUsersOrClasses, id: \.id.rawValue) {
            let locations = try Location.page(
                of: $0.organization.id, after: LocationID(rawValue: $1.last), limit: $2, in: $3)
            let defaults = try LocationDefaults.find(of: $0.organization.id, in: $3)
            return locations.map { RosterLocation($0, defaults) }
        }
    }
}
