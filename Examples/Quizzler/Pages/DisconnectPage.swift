/// Asks for confirmation, and tells what *Disconnect* does.
struct DisconnectPage: Page {
    let organizationName: String
    let link: String
    let token: String
    let consequence: String

    init(_ connection: Connection, csrfToken: String) {
        organizationName = connection.organizationName
        link = Link.organization(connection.organizationID)
        token = csrfToken
        let people = counted(connection.roster?.people.count ?? 0, "person", "people")
        let classes = counted(connection.roster?.classes.count ?? 0, "class", "classes")
        consequence = "Quizzler gives back its access and deletes what it has stored: \(people) and \(classes)."
    }

    static let name = "disconnect"
    static let template = """
        {{$title}}Disconnect · Quizzler{{/title}}
        {{$content}}
        <section class="message">
        <h1>Disconnect <bdi>{{organizationName}}</bdi></h1>
        <p>{{consequence}}</p>
        <p class="quiet">Nothing changes at the school. An administrator can connect it again later.</p>
        <form class="actions" method="post" action="{{link}}/disconnect">
        <input type="hidden" name="csrf" value="{{token}}">
        <button class="button danger">Disconnect and delete</button>
        <a href="{{link}}">Keep it connected</a>
        </form>
        </section>
        {{/content}}
        """
}
