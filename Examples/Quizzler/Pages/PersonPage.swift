import LanyardHummingbird

/// The page of the person who is signed in: their account as Quizzler knows it, and their classes.
struct PersonPage: Page {
    let notices: [NoticeItem]
    let cards: [OrganizationCard]
    let hasCards: Bool
    let greeting: String
    /// `Teacher · Maple District`, `Personal account`.
    let standing: String
    /// Nil if the person has none; the row is then left out.
    let name: String?
    let email: String?
    /// Why there are no classes; nil if there are classes, or if the person cannot have any.
    let missing: String?
    let mayConnect: Bool
    let taught: [ClassCard]
    let hasTaught: Bool
    let attended: [ClassCard]
    let hasAttended: Bool
    /// The best result of the practice quiz; nil before the first one.
    let bestScore: String?

    /// - Parameter connection: The connection of the person's own organization; nil if it is not connected, and for
    ///   personal accounts.
    init(
        _ person: SignedInPerson,
        account: PeopleStore.Account?,
        connection: Connection?,
        notices: [NoticeItem],
        cards: [OrganizationCard]
    ) {
        self.notices = notices
        self.cards = cards
        hasCards = !cards.isEmpty
        let member = connection.flatMap { Member(person, of: $0) }
        name = person.name ?? member?.person.fullName
        email = person.email
        greeting = (person.givenName ?? member?.person.givenName).map { "Hello, \($0.isolated)" } ?? "Hello"
        standing = Self.standing(of: person, connection: connection, member: member)
        missing = Self.missing(for: person, connection: connection, member: member)
        mayConnect = person.organizationID != nil && connection == nil
        let roster = connection?.roster ?? Roster()
        taught = (member?.classesTaught ?? []).map { id, rosterClass in
            ClassCard(id, rosterClass, in: roster, of: connection?.organizationID ?? "")
        }
        attended = (member?.classesAttended ?? []).map { id, rosterClass in
            ClassCard(id, rosterClass, in: roster, of: connection?.organizationID ?? "", view: .classmates)
        }
        hasTaught = !taught.isEmpty
        hasAttended = !attended.isEmpty
        bestScore = account?.bestScore.map { "Your best so far: \($0) of \(PracticeQuiz.questions.count)." }
    }

    private static func standing(of person: SignedInPerson, connection: Connection?, member: Member?) -> String {
        guard person.organizationID != nil else { return "Personal account" }
        let owner = connection?.organizationName.isolated ?? "your school or company"
        guard let member else { return "Account of \(owner)" }
        if !member.classesTaught.isEmpty { return "Teacher · \(owner)" }
        if member.isStaff { return "Staff · \(owner)" }
        return member.classesAttended.isEmpty ? "Account of \(owner)" : "Pupil · \(owner)"
    }

    private static func missing(for person: SignedInPerson, connection: Connection?, member: Member?) -> String? {
        guard person.organizationID != nil else { return nil }
        guard let connection else {
            return "Your school or company is not connected to Quizzler yet, so your classes are not here. "
                + "One of its administrators can connect it."
        }
        let organization = connection.organizationName.isolated
        guard connection.roster != nil else {
            return "Quizzler is still reading the classes of \(organization). Look again in a minute."
        }
        guard let member else {
            return "Quizzler has not found you among the people of \(organization) yet. It looks again every day."
        }
        let hasNone = member.classesTaught.isEmpty && member.classesAttended.isEmpty && !member.isStaff
        return hasNone ? "You are in no class yet." : nil
    }

    static let name = "person"
    static let template = """
        {{$title}}Your page · Quizzler{{/title}}
        {{$content}}
        \(NoticeItem.listTemplate)
        <div class="heading">
        <div><h1 dir="auto">{{greeting}}</h1><p class="quiet">{{standing}}</p></div>
        <form method="post" action="/sign-in/out"><button class="button secondary">Sign out</button></form>
        </div>
        {{#missing}}
        <section class="notice" role="status"><p>{{missing}}</p>
        {{#mayConnect}}<p><a href="/connect">Connect your school</a></p>{{/mayConnect}}</section>
        {{/missing}}
        {{#hasTaught}}
        <section><h2>Classes you teach</h2>
        <ul class="grid">{{#taught}}\(ClassCard.template){{/taught}}</ul></section>
        {{/hasTaught}}
        {{#hasAttended}}
        <section><h2>Your classes</h2>
        <ul class="grid">{{#attended}}\(ClassCard.template){{/attended}}</ul></section>
        {{/hasAttended}}
        \(OrganizationCard.listTemplate)
        <section class="practice"><h2>Practice quiz</h2>
        <p>{{#bestScore}}{{bestScore}}{{/bestScore}}{{^bestScore}}Three questions to warm up.{{/bestScore}}</p>
        <a class="button" href="/practice">Take the practice quiz</a></section>
        <section><h2>What Quizzler knows of you</h2>
        <dl class="facts">
        {{#name}}<div><dt>Name</dt><dd dir="auto">{{name}}</dd></div>{{/name}}
        <div><dt>Account</dt><dd>{{standing}}</dd></div>
        {{#email}}<div class="own-email"><dt>Email</dt><dd>{{email}}</dd></div>{{/email}}
        </dl></section>
        {{/content}}
        """
}
