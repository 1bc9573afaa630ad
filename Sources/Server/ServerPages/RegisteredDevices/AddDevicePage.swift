/// Add a device that signs the person in. Posts `current_password`; then ``DeviceRegistrationPage`` shows the code.
package struct AddDevicePage: Page {
    package enum Problem: Equatable, Sendable {
        case wrongPassword
        /// `minutes` is 1 or more.
        case tooManyAttempts(minutes: Int)
        case busy
        /// The person has `max` devices already.
        case tooManyDevices(max: Int)
    }

    package let form: Form
    /// Only managed accounts have devices.
    package let owner: Badge
    package let problem: Problem?
    package let cancelPath: String

    package init(form: Form, owner: Badge, problem: Problem? = nil, cancelPath: String) {
        self.form = form
        self.owner = owner
        self.problem = problem
        self.cancelPath = cancelPath
    }

    package var view: View {
        var layout = FormLayout(form: form, button: Sentence("form.continue"))
        layout.lead = Sentence("addDevice.lead")
        switch problem {
        case .tooManyAttempts(let minutes): layout.problem = .tooManyAttempts(minutes: minutes)
        case .busy: layout.problem = .busy
        case .tooManyDevices(let max): layout.problem = Sentence("addDevice.tooMany", ["devices": .count(max)])
        case .wrongPassword, nil: break
        }
        layout.fields = [
            Field(
                name: "current_password", kind: .currentPassword, label: Sentence("form.currentPassword"),
                problem: problem == .wrongPassword ? Sentence("password.wrongCurrent") : nil, isFocused: true,
                hasMessage: layout.problem != nil)
        ]
        layout.ways = [.link(Sentence("form.cancel"), to: cancelPath)]
        return layout.view(heading: Sentence("addDevice.heading"), owner: owner)
    }
}
