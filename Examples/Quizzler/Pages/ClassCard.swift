/// A class in a list, with its teachers and the first few pupils.
struct ClassCard {
    let link: String
    let className: String
    let place: String?
    let shape: Int
    let teachers: [String]
    let hasTeachers: Bool
    let pupils: [String]
    /// The text after the names: how many more pupils there are, or that there are none.
    let pupilsMore: String

    private static let pupilsMax = 4

    init(
        _ id: String, _ rosterClass: SchoolClass, in roster: Roster, of organizationID: String,
        view: ClassView = .whole
    ) {
        link = Link.rosterClass(id, in: organizationID)
        className = rosterClass.name
        place = rosterClass.place(in: roster)
        shape = quizzler.shape(for: id)
        teachers = roster.people(rosterClass.teacherIDs).map(\.fullName)
        hasTeachers = !teachers.isEmpty
        let pupils = roster.pupilNames(of: rosterClass, in: view)
        self.pupils = Array(pupils.prefix(Self.pupilsMax))
        pupilsMore =
            switch pupils.count {
            case 0: "No pupils yet"
            case ...Self.pupilsMax: ""
            default: "and \(counted(pupils.count - Self.pupilsMax, "more pupil", "more pupils"))"
            }
    }

    static let template = """
        <li class="card"><span class="tile shape-{{shape}}" aria-hidden="true"></span>
        <div><h2><a href="{{link}}" dir="auto">{{className}}</a></h2>
        {{#place}}<p class="quiet" dir="auto">{{place}}</p>{{/place}}
        <p class="people">{{#teachers}}<span class="item teacher"><bdi>{{.}}</bdi></span> {{/teachers}}
        {{^hasTeachers}}<span class="quiet">No teacher yet</span>{{/hasTeachers}}</p>
        <p class="people quiet">
        {{#pupils}}<span class="item"><bdi>{{.}}</bdi></span> {{/pupils}}{{pupilsMore}}</p></div></li>
        """
}

extension Roster {
    /// The people with these ids, sorted by family name. Unknown ids are left out.
    func people(_ ids: [String]) -> [Person] {
        ids.compactMap { people[$0] }.sorted { inReadingOrder($0.sortingName, $1.sortingName, then: false) }
    }
}

extension Roster {
    /// Pupils see only each other's first names, sorted by these.
    func pupilNames(of rosterClass: SchoolClass, in view: ClassView) -> [String] {
        let pupils = people(rosterClass.pupilIDs)
        return switch view {
        case .whole: pupils.map(\.fullName)
        case .classmates: pupils.map { $0.givenName ?? "No name" }.sorted { inReadingOrder($0, $1, then: false) }
        }
    }
}

extension SchoolClass {
    /// `SCI-7B · North 14 · Hillfield Middle School`; nil if none of them is known.
    func place(in roster: Roster) -> String? {
        let parts = [number, room, locationID.flatMap { roster.locationNames[$0] }].compactMap { $0 }
        return parts.isEmpty ? nil : parts.joined(separator: " · ")
    }
}
