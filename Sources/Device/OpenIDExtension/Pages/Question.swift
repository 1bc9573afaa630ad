import Ground
import SingleSignOnWire
import WebClient

/// Turns a provider's form into one that the broker shows, and the person's answer into a request.
///
/// The broker's forms have no radio buttons, so each becomes a checkbox, and exactly one of a group has to be ticked.
struct Question: Sendable {
    let form: PageForm
    private let page: SignInPage
    private let shown: [(field: PresentationForm.Field, control: PageForm.Control)]

    init(_ form: PageForm, on page: SignInPage, username: String?) {
        self.form = form
        self.page = page
        shown = form.controls.enumerated().compactMap { index, control in
            let name = "\(index)"
            let prefilled = control.value.isEmpty && control.isUserName ? username ?? "" : control.value
            return switch control.kind {
            case .fixed: nil
            case .text: (.init(name, label: control.label, value: prefilled.isEmpty ? nil : prefilled), control)
            case .password: (.init(name, label: control.label, kind: .password), control)
            case .oneTimeCode: (.init(name, label: control.label, kind: .oneTimeCode), control)
            case .checkbox(let isChecked), .radio(let isChecked):
                (.init(name, label: control.label, kind: .checkbox, value: isChecked ? "true" : nil), control)
            }
        }
    }

    /// - Parameter problem: what was wrong with the last answer; nil for the first attempt.
    func presentation(problem: String?) -> PresentationForm {
        let label = form.button?.label ?? ""
        return PresentationForm(
            title: page.heading.isEmpty ? "Sign in" : page.heading, text: page.url.place, problem: problem,
            fields: shown.map(\.field), submit: label.isEmpty ? "Continue" : label)
    }

    enum Answer: Sendable {
        case send(HTTPRequest)
        case incomplete(String)
    }

    /// - Parameter values: the fields' values by name, as in ``PresentationResult/submitted(_:)``.
    func answer(_ values: [String: String]) -> Answer {
        var chosen: [String: [PageForm.Control]] = [:]
        for (field, control) in shown {
            guard case .radio = control.kind else { continue }
            chosen[control.name, default: []] += values[field.name] == "true" ? [control] : []
        }
        guard chosen.allSatisfy({ $0.value.count == 1 }) else { return .incomplete("Choose one of them.") }

        var fields: [FormField] = []
        for (index, control) in form.controls.enumerated() {
            let value = values["\(index)"]
            switch control.kind {
            case .fixed: fields.append(FormField(control.name, control.value))
            case .text, .password, .oneTimeCode: fields.append(FormField(control.name, value ?? ""))
            case .checkbox, .radio:
                if value == "true" { fields.append(FormField(control.name, control.value)) }
            }
        }
        if let button = form.button, let name = button.name { fields.append(FormField(name, button.value)) }
        var request = form.request(fields)
        request.isTyped = true
        return .send(request)
    }
}
