/// One class with everyone in it.
struct ClassPage: Page {
    struct Entry {
        let fullName: String
        let grade: String?
        /// Nil if the person has none; the row is then left out.
        let email: String?
    }

    let className: String
    let nickname: String?
    let place: String?
    let trailLabel: String
    let trailLink: String
    let shape: Int
    let teachers: [Entry]
    let pupils: [Entry]
    let teacherCount: String
    let pupilCount: String

    /// Nil if the organization has no such class.
    /// - Parameter isManaged: Whether the link back leads to all classes of the organization instead of the person's
    ///   own.
    init?(_ classID: String, of connection: Connection, view: ClassView, isManaged: Bool) {
        guard let roster = connection.roster, let rosterClass = roster.classes[classID] else { return nil }
        className = rosterClass.name
        nickname = rosterClass.nickname == rosterClass.name ? nil : rosterClass.nickname
        place = rosterClass.place(in: roster)
        trailLabel = isManaged ? connection.organizationName : "Your page"
        trailLink = isManaged ? Link.organization(connection.organizationID) : Link.home
        shape = quizzler.shape(for: classID)
        let teachers = roster.people(rosterClass.teacherIDs)
        switch view {
        case .whole:
            self.teachers = teachers.map { Entry(fullName: $0.fullName, grade: nil, email: $0.email) }
            pupils = roster.people(rosterClass.pupilIDs).map {
                Entry(fullName: $0.fullName, grade: $0.grade, email: $0.email)
            }
        case .classmates:
            self.teachers = teachers.map { Entry(fullName: $0.fullName, grade: nil, email: nil) }
            pupils = roster.pupilNames(of: rosterClass, in: view).map { Entry(fullName: $0, grade: nil, email: nil) }
        }
        teacherCount = counted(teachers.count, "teacher", "teachers")
        pupilCount = counted(pupils.count, "pupil", "pupils")
    }

    // `.grade` and `.email` are written with a dot: otherwise Mustache would look in the surrounding contexts if a
    // member has none.
    static let name = "class"
    static let template = """
        {{$title}}{{className}} · Quizzler{{/title}}
        {{$content}}
        <p class="trail"><a href="{{trailLink}}" dir="auto">{{trailLabel}}</a></p>
        <div class="heading">
        <span class="tile shape-{{shape}}" aria-hidden="true"></span>
        <div><h1 dir="auto">{{className}}</h1>
        {{#nickname}}<p dir="auto">{{nickname}}</p>{{/nickname}}
        {{#place}}<p class="quiet" dir="auto">{{place}}</p>{{/place}}</div>
        </div>
        <section><h2>{{teacherCount}}</h2>
        <ul class="members">{{#teachers}}<li><span class="name" dir="auto">{{fullName}}</span>
        {{#.email}}<span class="quiet email">{{.}}</span>{{/.email}}</li>{{/teachers}}</ul></section>
        <section><h2>{{pupilCount}}</h2>
        <ul class="members">{{#pupils}}<li><span class="name" dir="auto">{{fullName}}</span>
        {{#.grade}}<span class="grade">Grade {{.}}</span>{{/.grade}}
        {{#.email}}<span class="quiet email">{{.}}</span>{{/.email}}</li>{{/pupils}}</ul></section>
        {{/content}}
        """
}
