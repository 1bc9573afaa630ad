/// The organization does not share its roster with the app, and no role could consent to it. `back` returns to the app
/// with `access_denied`.
package struct NotSharedPage: Page {
    package enum Reason: String, CaseIterable, Sendable {
        /// The organization shares only with the apps on its list, and this app is not on it.
        case appNotListed
        /// Its people may not sign in to the app, which then reads nothing either.
        case signInNotAllowed
        /// Only schools have rosters to share.
        case organizationIsNoSchool

        var explanation: Sentence { Sentence("notShared.\(rawValue)") }
        var whatToDo: Sentence { Sentence("notShared.\(rawValue)WhatToDo") }
    }

    package let app: RequestingApp
    package let organization: Badge
    package let reason: Reason
    package let back: Form

    package init(app: RequestingApp, organization: Badge, reason: Reason, back: Form) {
        self.app = app
        self.organization = organization
        self.reason = reason
        self.back = back
    }

    package var view: View {
        View(
            "not-shared",
            heading: Sentence("notShared.heading"),
            content: [
                "app": .text(app.name),
                "organization": .text(organization.name),
                "appBadge": .group(app.badge.content),
                "organizationBadge": .group(organization.content),
                "explanation": .sentence(reason.explanation),
                "whatToDo": .sentence(reason.whatToDo),
                "back": .group(back.content),
            ],
            owner: organization
        )
    }
}
