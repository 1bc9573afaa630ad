/// Delete a personal account for good. Posts `confirmation`, which must be the account's email address, and
/// `current_password`: the address alone would not do, since everybody at the browser can read it on the page.
package struct DeleteAccountPage: Page {
    package enum Problem: Equatable, Sendable {
        /// The confirmation is not the account's address.
        case doesNotMatch
        case wrongPassword
        /// `minutes` is 1 or more.
        case tooManyAttempts(minutes: Int)
    }

    package let form: Form
    package let email: String
    /// The number of apps that are notified.
    package let appCount: Int
    /// What was typed before an error.
    package let confirmation: String
    package let problem: Problem?
    package let cancelPath: String

    package init(
        form: Form,
        email: String,
        appCount: Int,
        confirmation: String = "",
        problem: Problem? = nil,
        cancelPath: String
    ) {
        self.form = form
        self.email = email
        self.appCount = appCount
        self.confirmation = confirmation
        self.problem = problem
        self.cancelPath = cancelPath
    }

    package var view: View {
        var layout = FormLayout(form: form, button: Sentence("account.delete"))
        layout.lead = Sentence(appCount == 0 ? "deleteAccount.leadWithoutApps" : "deleteAccount.lead")
        if case .tooManyAttempts(let minutes) = problem { layout.problem = .tooManyAttempts(minutes: minutes) }
        layout.fields = [
            Field(
                name: "confirmation", kind: .confirmation, label: Sentence("deleteAccount.confirmation"),
                value: confirmation,
                problem: problem == .doesNotMatch ? Sentence("deleteAccount.doesNotMatch") : nil,
                isFocused: problem == .doesNotMatch
            ),
            Field(
                name: "current_password", kind: .currentPassword, label: Sentence("form.currentPassword"),
                problem: problem == .wrongPassword ? Sentence("password.wrongCurrent") : nil,
                isFocused: problem == .wrongPassword
            ),
        ]
        layout.isDangerous = true
        layout.ways = [.link(Sentence("deleteAccount.keep"), to: cancelPath)]
        return layout.view(
            heading: Sentence("deleteAccount.heading"), ["email": .text(email), "apps": .count(appCount)]
        )
    }
}
