import Foundation

/// Who is connected, and the button to connect.
struct HomePage: Page {
    struct Card {
        let link: String
        let organizationName: String
        let summary: String
        let failure: String?
        let shape: Int
    }

    struct NoticeItem {
        let message: String
        let said: String
        let dismissLink: String
        let token: String
    }

    let cards: [Card]
    let hasCards: Bool
    let notices: [NoticeItem]

    init(_ connections: [Connection], notices: [Notice], now: Date, csrfToken: String) {
        cards = connections.map { connection in
            Card(
                link: Link.organization(connection.organizationID),
                organizationName: connection.organizationName,
                summary: Self.summary(connection, now: now),
                failure: connection.lastFailure?.message,
                shape: shape(for: connection.organizationID)
            )
        }
        hasCards = !connections.isEmpty
        self.notices = notices.map { notice in
            NoticeItem(
                message: notice.message,
                said: said(notice.at, now: now),
                dismissLink: "/notices/\(notice.id.uuidString)/dismiss",
                token: csrfToken
            )
        }
    }

    private static func summary(_ connection: Connection, now: Date) -> String {
        guard let roster = connection.roster, let sync = connection.lastSync else { return "Not read yet" }
        let classes = counted(roster.classes.count, "class", "classes")
        let people = counted(roster.people.count, "person", "people")
        return "\(classes), \(people). In step \(said(sync.at, now: now))."
    }

    static let name = "home"
    static let template = """
        {{$title}}Quizzler{{/title}}
        {{$content}}
        {{#notices}}
        <section class="notice closable" role="status">
        <div><p>{{message}}</p><p class="quiet">{{said}}</p></div>
        <form method="post" action="{{dismissLink}}"><input type="hidden" name="csrf" value="{{token}}">
        <button class="plain">Dismiss</button></form>
        </section>
        {{/notices}}
        <section class="hero">
        <div class="answers" aria-hidden="true">
        <span class="tile shape-0"></span><span class="tile shape-1"></span>
        <span class="tile shape-2"></span><span class="tile shape-3"></span>
        </div>
        <h1>Quizzes that already know your class</h1>
        <p>Connect your school once. Every class is here with its teachers and pupils, and stays in step by itself.</p>
        <a class="button" href="/connect">Connect to School Manager</a>
        <p class="quiet">An administrator or site manager of the school has to agree. They can stop sharing at any
        time, and Quizzler then deletes everything.</p>
        </section>
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
        {{/content}}
        """
}
