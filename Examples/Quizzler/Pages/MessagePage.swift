/// A page that says one thing and shows the way on.
struct MessagePage: Page {
    let heading: String
    let text: String
    let actionLabel: String
    let actionLink: String

    static let declined = MessagePage(
        heading: "Your school is not connected",
        text: "That is fine: nothing was shared, and Quizzler has stored nothing. You can connect whenever you like.",
        actionLabel: "Back to Quizzler",
        actionLink: Link.home
    )
    static let notConnected = MessagePage(
        heading: "That did not work",
        text:
            "School Manager did not complete the connection, and nothing was stored. Trying again often helps; "
            + "if it does not, the details are in Quizzler's log.",
        actionLabel: "Connect to School Manager",
        actionLink: "/connect"
    )
    static let connectLinkExpired = MessagePage(
        heading: "Let us start again",
        text:
            "This page belongs to a connection that was begun in another browser, too long ago, or that is "
            + "already done. Nothing was changed.",
        actionLabel: "Connect to School Manager",
        actionLink: "/connect"
    )
    static let oldForm = MessagePage(
        heading: "That page was too old",
        text: "Nothing was changed. Open the page again and repeat what you wanted to do.",
        actionLabel: "Back to Quizzler",
        actionLink: Link.home
    )
    static let notFound = MessagePage(
        heading: "There is nothing here",
        text: "The class or school may have been removed, or has stopped sharing with Quizzler.",
        actionLabel: "Back to Quizzler",
        actionLink: Link.home
    )
    static let failed = MessagePage(
        heading: "Something went wrong here",
        text: "It is Quizzler's fault, and the details are in its log. What was stored before is still there.",
        actionLabel: "Back to Quizzler",
        actionLink: Link.home
    )

    static let name = "message"
    static let template = """
        {{$title}}{{heading}} · Quizzler{{/title}}
        {{$content}}
        <section class="message">
        <h1>{{heading}}</h1>
        <p>{{text}}</p>
        <p><a class="button" href="{{actionLink}}">{{actionLabel}}</a></p>
        </section>
        {{/content}}
        """
}
