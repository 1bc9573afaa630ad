import Foundation

/// Asks whether the organization should go on sharing with an app after the last day of its consent, and until when.
/// Posts without fields of its own.
package struct RenewSharingPage: Page {
    package let app: RequestingApp
    package let organization: Badge
    package let scopes: Set<ConsentScope>
    package let people: Int
    package let classes: Int
    /// The last day of the consent as it is, and when it is renewed.
    package let lastDay: Date
    package let renewedLastDay: Date
    package let form: Form
    package let cancelPath: String

    package init(
        app: RequestingApp,
        organization: Badge,
        scopes: Set<ConsentScope>,
        people: Int,
        classes: Int,
        lastDay: Date,
        renewedLastDay: Date,
        form: Form,
        cancelPath: String
    ) {
        self.app = app
        self.organization = organization
        self.scopes = scopes
        self.people = people
        self.classes = classes
        self.lastDay = lastDay
        self.renewedLastDay = renewedLastDay
        self.form = form
        self.cancelPath = cancelPath
    }

    package var view: View {
        View(
            "renew-sharing",
            heading: Sentence("renewSharing.heading"),
            content: [
                "app": .text(app.name),
                "team": .text(app.teamName),
                "organization": .text(organization.name),
                "appBadge": .group(app.badge.content),
                "organizationBadge": .group(organization.content),
                "people": .sentence(Sentence("consent.usersCount", ["count": .count(people)])),
                "classes": .sentence(Sentence("consent.classesCount", ["count": .count(classes)])),
                "reads": .sentence(Sentence("renewSharing.reads\(scopes.words)")),
                "lastDay": .day(lastDay),
                "renewedLastDay": .day(renewedLastDay),
                "form": .group(form.content),
                "cancelPath": .text(cancelPath),
            ],
            owner: organization
        )
    }

    static let sentences = ["readsUsersAndClasses", "readsUsers", "readsClasses"].map {
        Sentence("renewSharing.\($0)")
    }
}
