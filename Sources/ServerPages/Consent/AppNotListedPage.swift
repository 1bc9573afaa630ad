/// The organization shares data only with the apps on its list, and this app is not on it.
/// `back` goes back to the app with `access_denied`.
package struct AppNotListedPage: Page {
    package let app: RequestingApp
    package let organization: Badge
    package let back: Form

    package init(app: RequestingApp, organization: Badge, back: Form) {
        self.app = app
        self.organization = organization
        self.back = back
    }

    package var view: View {
        View(
            "not-listed",
            heading: Sentence("notListed.heading"),
            content: [
                "app": .text(app.name),
                "organization": .text(organization.name),
                "appBadge": .group(app.badge.content),
                "organizationBadge": .group(organization.content),
                "back": .group(back.content),
            ]
        )
    }
}
