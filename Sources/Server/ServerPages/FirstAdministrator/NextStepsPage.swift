/// The next steps for an Administrator who has just created their account.
package struct NextStepsPage: Page {
    package let organization: Badge
    package let userName: String
    /// Where the Administrator begins.
    package let consolePath: String

    package init(organization: Badge, userName: String, consolePath: String) {
        self.organization = organization
        self.userName = userName
        self.consolePath = consolePath
    }

    package var view: View {
        View(
            "next-steps",
            heading: Sentence("nextSteps.heading"),
            content: [
                "organization": .text(organization.name),
                "organizationBadge": .group(organization.content),
                "userName": .text(userName),
                "consolePath": .text(consolePath),
            ],
            owner: organization
        )
    }
}
