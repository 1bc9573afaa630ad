/// One class with everyone in it.
struct ClassPage: Page {
    struct Member {
        let fullName: String
        let grade: String?
        /// Nil for those who have none: they then have no row for it.
        let email: String?
    }

    let className: String
    let nickname: String?
    let place: String?
    let organizationName: String
    let organizationLink: String
    let shape: Int
    let teachers: [Member]
    let pupils: [Member]
    let teacherCount: String
    let pupilCount: String

    /// Nil if the organization has no such class.
    init?(_ classID: String, of connection: Connection) {
        guard let roster = connection.roster, let rosterClass = roster.classes[classID] else { return nil }
        className = rosterClass.name
        nickname = rosterClass.nickname == rosterClass.name ? nil : rosterClass.nickname
        place = rosterClass.place(in: roster)
        organizationName = connection.organizationName
        organizationLink = Link.organization(connection.organizationID)
        shape = quizzler.shape(for: classID)
        teachers = roster.people(rosterClass.teacherIDs).map { Member($0, showsGrade: false) }
        pupils = roster.people(rosterClass.pupilIDs).map { Member($0, showsGrade: true) }
        teacherCount = counted(teachers.count, "teacher", "teachers")
        pupilCount = counted(pupils.count, "pupil", "pupils")
    }

    // `.grade` and `.email`, with a dot: without it a member that has none would show that of something around it.
    static let name = "class"
    static let template = """
        {{$title}}{{className}} · Quizzler{{/title}}
        {{$content}}
        <p class="trail"><a href="{{organizationLink}}" dir="auto">{{organizationName}}</a></p>
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

extension ClassPage.Member {
    fileprivate init(_ person: Person, showsGrade: Bool) {
        fullName = person.fullName
        grade = showsGrade ? person.grade : nil
        email = person.email
    }
}
