/// Sign in with user name and password. Posts `username` and `password`.
package struct SignInPage: Page {
    package enum Problem: String, CaseIterable, Sendable {
        /// Unknown account and wrong password alike, so that the page does not tell whether an account exists.
        case wrongPassword
        /// The password was right, but temporary, and its time is over.
        case temporaryPasswordExpired

        var sentence: Sentence { Sentence("signIn.\(rawValue)") }
    }

    package let form: Form
    /// The app that the person is on the way to connect, if any.
    package let appName: String?
    package let userName: String
    package let problem: Problem?

    package init(form: Form, appName: String? = nil, userName: String = "", problem: Problem? = nil) {
        self.form = form
        self.appName = appName
        self.userName = userName
        self.problem = problem
    }

    package var view: View {
        View(
            "sign-in",
            heading: Sentence(appName == nil ? "signIn.heading" : "signIn.headingForApp"),
            content: [
                "app": .text(ifAny: appName),
                "form": .group(form.content),
                "problem": .sentence(ifAny: problem?.sentence),
                "fields": .list([userNameField.content, passwordField.content]),
            ]
        )
    }

    private var userNameField: Field {
        Field(
            name: "username", kind: .userName, label: Sentence("form.userName"), value: userName,
            isFocused: userName.isEmpty, hasMessage: problem != nil, isSuspect: problem == .wrongPassword
        )
    }

    private var passwordField: Field {
        Field(
            name: "password", kind: .currentPassword, label: Sentence("form.password"),
            isFocused: !userName.isEmpty, hasMessage: problem != nil, isSuspect: problem == .wrongPassword
        )
    }
}
