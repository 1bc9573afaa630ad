/// Enter the code that a television or a terminal shows (RFC 8628 §3.3). Posts `user_code`.
package struct DeviceCodePage: Page {
    package enum Problem: Equatable, Sendable {
        /// The code is unknown, expired or used; the page does not say which.
        case unknownCode
        /// `minutes` is 1 or more.
        case tooManyAttempts(minutes: Int)
    }

    package let form: Form
    package let userCode: String
    package let problem: Problem?

    package init(form: Form, userCode: String = "", problem: Problem? = nil) {
        self.form = form
        self.userCode = userCode
        self.problem = problem
    }

    package var view: View {
        var layout = FormLayout(form: form, button: Sentence("form.continue"))
        layout.lead = Sentence("device.codeLead")
        if case .tooManyAttempts(let minutes) = problem {
            layout.problem = .tooManyAttempts(minutes: minutes)
        }
        layout.fields = [
            Field(
                name: "user_code", kind: .deviceCode, label: Sentence("device.code"), value: userCode,
                problem: problem == .unknownCode ? Sentence("device.unknownCode") : nil, isFocused: true,
                hasMessage: layout.problem != nil
            )
        ]
        return layout.view(heading: Sentence("device.codeHeading"))
    }
}
