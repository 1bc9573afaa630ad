/// Asks whether the organization should stop sharing with an app, and says what follows. Posts without fields of its
/// own.
package struct StopSharingPage: Page {
    package let app: RequestingApp
    package let organization: Badge
    package let scopes: Set<ConsentScope>
    package let people: Int
    package let classes: Int
    /// Whether the app has a notification URL.
    package let isTold: Bool
    package let form: Form
    package let cancelPath: String

    package init(
        app: RequestingApp,
        organization: Badge,
        scopes: Set<ConsentScope>,
        people: Int,
        classes: Int,
        isTold: Bool,
        form: Form,
        cancelPath: String
    ) {
        self.app = app
        self.organization = organization
        self.scopes = scopes
        self.people = people
        self.classes = classes
        self.isTold = isTold
        self.form = form
        self.cancelPath = cancelPath
    }

    package var view: View {
        View(
            "stop-sharing",
            heading: Sentence("stopSharing.heading"),
            content: [
                "app": .text(app.name),
                "team": .text(app.teamName),
                "organization": .text(organization.name),
                "appBadge": .group(app.badge.content),
                "organizationBadge": .group(organization.content),
                "people": .sentence(Sentence("consent.usersCount", ["count": .count(people)])),
                "classes": .sentence(Sentence("consent.classesCount", ["count": .count(classes)])),
                "ends": .sentence(Sentence("stopSharing.ends\(scopes.words)")),
                "told": .sentence(Sentence(isTold ? "stopSharing.told" : "stopSharing.notTold")),
                "form": .group(form.content),
                "cancelPath": .text(cancelPath),
            ],
            owner: organization
        )
    }

    static let sentences = ["endsUsersAndClasses", "endsUsers", "endsClasses", "told", "notTold"].map {
        Sentence("stopSharing.\($0)")
    }
}
