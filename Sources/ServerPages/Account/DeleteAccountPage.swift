/// Delete a personal account for good. Posts `confirmation`, which must be the account's email address.
package struct DeleteAccountPage: Page {
    package let form: Form
    package let email: String
    /// How many apps are told.
    package let appCount: Int
    /// What was typed before.
    package let confirmation: String
    package let doesNotMatch: Bool
    package let cancelPath: String

    package init(
        form: Form,
        email: String,
        appCount: Int,
        confirmation: String = "",
        doesNotMatch: Bool = false,
        cancelPath: String
    ) {
        self.form = form
        self.email = email
        self.appCount = appCount
        self.confirmation = confirmation
        self.doesNotMatch = doesNotMatch
        self.cancelPath = cancelPath
    }

    package var view: View {
        var layout = FormLayout(form: form, button: Sentence("account.delete"))
        layout.lead = Sentence(appCount == 0 ? "deleteAccount.leadWithoutApps" : "deleteAccount.lead")
        layout.fields = [
            Field(
                name: "confirmation", kind: .confirmation, label: Sentence("deleteAccount.confirmation"),
                value: confirmation,
                problem: doesNotMatch ? Sentence("deleteAccount.doesNotMatch") : nil, isFocused: doesNotMatch
            )
        ]
        layout.isDangerous = true
        layout.ways = [.link(Sentence("deleteAccount.keep"), to: cancelPath)]
        return layout.view(
            heading: Sentence("deleteAccount.heading"), ["email": .text(email), "apps": .count(appCount)]
        )
    }
}
