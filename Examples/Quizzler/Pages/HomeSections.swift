import Foundation

/// A message that a connection has ended, shown until it is dismissed.
struct NoticeItem {
    let message: String
    let said: String
    let dismissLink: String
    let token: String

    init(_ notice: Notice, now: Date, csrfToken: String) {
        message = notice.message
        said = quizzler.said(notice.at, now: now)
        dismissLink = "/notices/\(notice.id.uuidString)/dismiss"
        token = csrfToken
    }

    static let listTemplate = """
        {{#notices}}
        <section class="notice closable" role="status">
        <div><p>{{message}}</p><p class="quiet">{{said}}</p></div>
        <form method="post" action="{{dismissLink}}"><input type="hidden" name="csrf" value="{{token}}">
        <button class="plain">Dismiss</button></form>
        </section>
        {{/notices}}
        """
}

/// A connected organization, for visitors who may see all of it.
struct OrganizationCard {
    let link: String
    let organizationName: String
    let summary: String
    let failure: String?
    let shape: Int

    init(_ connection: Connection, now: Date) {
        link = Link.organization(connection.organizationID)
        organizationName = connection.organizationName
        summary = Self.summary(connection, now: now)
        failure = connection.lastFailure?.message
        shape = quizzler.shape(for: connection.organizationID)
    }

    private static func summary(_ connection: Connection, now: Date) -> String {
        guard let roster = connection.roster, let sync = connection.lastSync else { return "Not read yet" }
        let classes = counted(roster.classes.count, "class", "classes")
        let people = counted(roster.people.count, "person", "people")
        return "\(classes), \(people). In step \(said(sync.at, now: now))."
    }

    static let listTemplate = """
        {{#hasCards}}
        <section>
        <h2>Connected</h2>
        <ul class="grid">
        {{#cards}}
        <li class="card"><span class="tile shape-{{shape}}" aria-hidden="true"></span>
        <div><h3><a href="{{link}}" dir="auto">{{organizationName}}</a></h3>
        <p class="quiet">{{summary}}</p>
        {{#failure}}<p class="warning">{{failure}}</p>{{/failure}}</div></li>
        {{/cards}}
        </ul>
        </section>
        {{/hasCards}}
        """
}
