/// The next steps for an Administrator who has just created their account.
package struct NextStepsPage: Page {
    package let organization: Badge
    package let userName: String
    package let accountPath: String

    package init(organization: Badge, userName: String, accountPath: String) {
        self.organization = organization
        self.userName = userName
        self.accountPath = accountPath
    }

    package var view: View {
        View(
            "next-steps",
            heading: Sentence("nextSteps.heading"),
            content: [
                "organization": .text(organization.name),
                "organizationBadge": .group(organization.content),
                "userName": .text(userName),
                "accountPath": .text(accountPath),
            ],
            owner: organization
        )
    }
}
