/// The page for visitors who are not signed in: two buttons, and the organizations that were connected in this browser.
struct HomePage: Page {
    let notices: [NoticeItem]
    let cards: [OrganizationCard]
    let hasCards: Bool

    init(notices: [NoticeItem], cards: [OrganizationCard]) {
        self.notices = notices
        self.cards = cards
        hasCards = !cards.isEmpty
    }

    static let name = "home"
    static let template = """
        {{$title}}Quizzler{{/title}}
        {{$content}}
        \(NoticeItem.listTemplate)
        <section class="hero">
        <div class="answers" aria-hidden="true">
        <span class="tile shape-0"></span><span class="tile shape-1"></span>
        <span class="tile shape-2"></span><span class="tile shape-3"></span>
        </div>
        <h1>Quizzes that already know your class</h1>
        <p>Sign in with your own account or the one of your school. There is no new password to remember.</p>
        <a class="button" href="/sign-in">\(lanyardMark)Continue with Lanyard</a>
        </section>
        <section class="school">
        <h2>For schools</h2>
        <p>Connect your school once. Every class is here with its teachers and pupils, and stays in step by itself.</p>
        <a class="button secondary" href="/connect">Connect your school</a>
        <p class="quiet">An administrator or site manager of the school has to agree, with their Lanyard account. On
        the account page there they can stop sharing at any time, and Quizzler then deletes everything.</p>
        </section>
        \(OrganizationCard.listTemplate)
        {{/content}}
        """
}
