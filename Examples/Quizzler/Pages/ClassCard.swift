/// A class among others: its teachers and the first few pupils.
struct ClassCard {
    let link: String
    let className: String
    let place: String?
    let shape: Int
    let teachers: [String]
    let hasTeachers: Bool
    let pupils: [String]
    /// What follows the names: how many more there are, or that there is none.
    let pupilsMore: String

    private static let pupilsMax = 4

    init(_ id: String, _ rosterClass: SchoolClass, in roster: Roster, of organizationID: String) {
        link = Link.rosterClass(id, in: organizationID)
        className = rosterClass.name
        place = rosterClass.place(in: roster)
        shape = quizzler.shape(for: id)
        teachers = roster.people(rosterClass.teacherIDs).map(\.fullName)
        hasTeachers = !teachers.isEmpty
        let pupils = roster.people(rosterClass.pupilIDs)
        self.pupils = pupils.prefix(Self.pupilsMax).map(\.fullName)
        pupilsMore =
            switch pupils.count {
            case 0: "No pupils yet"
            case ...Self.pupilsMax: ""
            default: "and \(counted(pupils.count - Self.pupilsMax, "more pupil", "more pupils"))"
            }
    }
}

extension Roster {
    /// Those of the people that are known, by family name.
    func people(_ ids: [String]) -> [Person] {
        ids.compactMap { people[$0] }.sorted { inReadingOrder($0.sortingName, $1.sortingName, then: false) }
    }
}

extension SchoolClass {
    /// `SCI-7B · North 14 · Hillfield Middle School`; nil if nothing of it is known.
    func place(in roster: Roster) -> String? {
        let parts = [number, room, locationID.flatMap { roster.locationNames[$0] }].compactMap { $0 }
        return parts.isEmpty ? nil : parts.joined(separator: " · ")
    }
}
