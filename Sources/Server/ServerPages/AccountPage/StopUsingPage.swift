/// Asks whether to stop using an app, and says what follows. Posts without fields of its own.
package struct StopUsingPage: Page {
    package let app: RequestingApp
    package let account: AccountKind
    /// The hidden address that will no longer forward the app's mail; nil if the app has the real address or none.
    package let hiddenAddress: String?
    package let form: Form
    package let cancelPath: String

    package init(app: RequestingApp, account: AccountKind, hiddenAddress: String?, form: Form, cancelPath: String) {
        self.app = app
        self.account = account
        self.hiddenAddress = hiddenAddress
        self.form = form
        self.cancelPath = cancelPath
    }

    package var view: View {
        View(
            "stop-using",
            heading: Sentence("stopUsing.heading"),
            content: [
                "app": .text(app.name),
                "team": .text(app.teamName),
                "appBadge": .group(app.badge.content),
                "address": .text(ifAny: hiddenAddress),
                "form": .group(form.content),
                "cancelPath": .text(cancelPath),
            ],
            owner: account.organization
        )
    }
}
