/// A page with one message and a link to continue.
struct MessagePage: Page {
    let heading: String
    let text: String
    let actionLabel: String
    let actionLink: String
    /// Whether the button shows Lanyard's mark, because it leads there.
    var showsMark = false

    static let declined = MessagePage(
        heading: "Your school is not connected",
        text: "That is fine: nothing was shared, and Quizzler has stored nothing. You can connect whenever you like.",
        actionLabel: "Back to Quizzler",
        actionLink: Link.home
    )
    static let notConnected = MessagePage(
        heading: "That did not work",
        text:
            "Lanyard did not complete the connection, and nothing was stored. Trying again often helps; "
            + "if it does not, the details are in Quizzler's log.",
        actionLabel: "Connect your school",
        actionLink: "/connect"
    )
    static let connectLinkExpired = MessagePage(
        heading: "Let us start again",
        text:
            "This page belongs to a connection that was begun in another browser, too long ago, or that is "
            + "already done. Nothing was changed.",
        actionLabel: "Connect your school",
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
    static let notSignedInNow = MessagePage(
        heading: "You are not signed in",
        text: "Signing in did not work this time, and nothing was changed. Trying again often helps.",
        actionLabel: "Continue with Lanyard",
        actionLink: Link.signIn(returningTo: Link.home),
        showsMark: true
    )

    /// - Parameter path: The path of the requested page.
    static func signInFirst(for path: String) -> MessagePage {
        MessagePage(
            heading: "Who is there?",
            text: "This page is for people whom it is about. Sign in, and you come back to it.",
            actionLabel: "Continue with Lanyard",
            actionLink: Link.signIn(returningTo: path),
            showsMark: true
        )
    }

    static func scored(_ score: Int, of count: Int) -> MessagePage {
        MessagePage(
            heading: score == count ? "All of them are right" : "\(score) of \(count) are right",
            text: score == count ? "Well done." : "The next time will be better.",
            actionLabel: "Your page",
            actionLink: Link.home
        )
    }

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
        <p><a class="button" href="{{actionLink}}">{{#showsMark}}\(lanyardMark){{/showsMark}}{{actionLabel}}</a></p>
        </section>
        {{/content}}
        """
}
