/// Edit the name of a personal account. Posts `given_name` and `family_name`.
package struct EditNamePage: Page {
    package enum Problem: Hashable, Sendable {
        case givenNameMissing, familyNameMissing
    }

    package let form: Form
    package let givenName: String
    package let familyName: String
    package let problems: Set<Problem>
    package let cancelPath: String

    package init(
        form: Form, givenName: String, familyName: String, problems: Set<Problem> = [], cancelPath: String
    ) {
        self.form = form
        self.givenName = givenName
        self.familyName = familyName
        self.problems = problems
        self.cancelPath = cancelPath
    }

    package var view: View {
        var layout = FormLayout(form: form, button: Sentence("form.save"))
        layout.lead = Sentence("editName.lead")
        layout.names = NameFields(
            givenName: givenName, familyName: familyName, isGivenNameWrong: problems.contains(.givenNameMissing),
            isFamilyNameWrong: problems.contains(.familyNameMissing)
        )
        layout.ways = [.link(Sentence("form.cancel"), to: cancelPath)]
        return layout.view(heading: Sentence("editName.heading"))
    }
}
