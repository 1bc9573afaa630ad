import LanyardAPI
import LanyardClient

/// Reads the whole roster of one organization. It is not possible to request only changes: people have left when they
/// no longer appear. Therefore only a complete crawl may be used.
struct Crawl: Sendable {
    struct Progress: Equatable, Sendable {
        var people = 0
        var classes = 0
    }

    let reader: RosterReader
    let organizationID: String

    /// - Parameter report: Called repeatedly with the progress so far.
    func run(report: (Progress) -> Void) async throws -> Roster {
        var roster = Roster()
        var progress = Progress()
        for try await location in reader.locations() {
            guard let id = location.id else { continue }
            roster.locationNames[id.locationKey] = location.name
        }
        for try await user in reader.users() {
            guard let id = user.id else { continue }
            roster.people[id] = Person(user, in: organizationID)
            progress.people += 1
            if progress.people.isMultiple(of: 50) { report(progress) }
        }
        for try await rosterClass in reader.classes() {
            guard let id = rosterClass.id else { continue }
            roster.classes[id] = SchoolClass(rosterClass)
            progress.classes += 1
            if progress.classes.isMultiple(of: 10) { report(progress) }
        }
        return roster
    }
}

extension String {
    /// The key of a location id, which is written `LO:5501` in some objects and `5501` in others.
    fileprivate var locationKey: String {
        hasPrefix("LO:") ? String(dropFirst(3)) : self
    }
}

extension Person {
    fileprivate init(_ user: User, in organizationID: String) {
        let places = user.roleLocationMapping ?? []
        let roles = (user.roles ?? []) + places.compactMap(\.roleName)
        let isAdministrator = places.contains { $0.roleName == .staff && $0.locationID == organizationID }
        self.init(
            givenName: user.givenName, familyName: user.familyName, email: user.email, grade: user.grade,
            isStaff: roles.contains(.staff) ? true : nil, isAdministrator: isAdministrator ? true : nil)
    }
}

extension SchoolClass {
    fileprivate init(_ rosterClass: RosterClass) {
        self.init(
            name: rosterClass.name ?? rosterClass.displayName ?? rosterClass.number ?? "Class without a name",
            nickname: rosterClass.displayName,
            number: rosterClass.number,
            room: rosterClass.room,
            locationID: rosterClass.locationID?.locationKey,
            teacherIDs: rosterClass.instructorIDs ?? [],
            pupilIDs: rosterClass.studentIDs ?? []
        )
    }
}
