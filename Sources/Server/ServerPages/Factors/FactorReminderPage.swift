import Foundation

/// After the sign-in of a person who must have a second factor soon: set it up now, or later.
package struct FactorReminderPage: Page {
    package let organization: Badge
    /// The first day on which the person cannot go on without one.
    package let dueDay: Date
    package let setUpPath: String
    package let laterPath: String

    package init(organization: Badge, dueDay: Date, setUpPath: String, laterPath: String) {
        self.organization = organization
        self.dueDay = dueDay
        self.setUpPath = setUpPath
        self.laterPath = laterPath
    }

    package var view: View {
        View(
            "factor-reminder", heading: Sentence("factor.reminderHeading"),
            content: [
                "organizationBadge": .group(organization.content),
                "lead": .sentence(
                    Sentence(
                        "factor.reminderLead", ["organization": .text(organization.name), "day": .day(dueDay)])),
                "setUpPath": .text(setUpPath),
                "laterPath": .text(laterPath),
            ],
            owner: organization)
    }

    static let sentences = [Sentence("factor.reminderLead")]
}
