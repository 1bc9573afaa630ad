/// The values for the template `form`: one question, its fields, one button, and less prominent alternatives.
struct FormLayout {
    /// An alternative to the button.
    struct Way {
        let label: Sentence
        let path: String?
        let form: Form?

        static func link(_ label: Sentence, to path: String) -> Way { Way(label: label, path: path, form: nil) }
        static func form(_ label: Sentence, _ form: Form) -> Way { Way(label: label, path: nil, form: form) }

        var content: Content {
            ["label": .sentence(label), "path": .text(ifAny: path), "form": .group(ifAny: form?.content)]
        }
    }

    let form: Form
    var button: Sentence
    /// The picture above the heading.
    var picture: Badge?
    /// The organization whose people the page is for: shown in the picture, and by name above the heading.
    var organization: Badge?
    var lead: Sentence?
    /// The signed-in person, for pages at which somebody else may sit at the browser, and the form that switches the
    /// account.
    var person: (person: SignedInPerson, account: AccountKind, switchAccount: Form)?
    /// A message about success, or for information.
    var notice: Sentence?
    /// What is wrong with the form as a whole; fields refer to it with `hasMessage`.
    var problem: Sentence?
    var names: NameFields?
    var fields: [Field] = []
    /// For the browser's password store, which otherwise saves a new password without a name.
    var userName: String?
    /// Whether the button's effect cannot be undone.
    var isDangerous = false
    /// What can be shown in place of the fields.
    var passkey: PasskeyForm?
    var ways: [Way] = []
    var aside: Sentence?
    /// Who makes the app that the question is about.
    var maker: Sentence?

    /// - Parameter values: values for the placeholders of the sentences.
    func view(heading: Sentence, _ values: Content = [:], owner: Badge? = nil) -> View {
        var fields = fields
        if let last = fields.indices.last {
            fields[last].isLast = true
        }
        let content: Content = [
            "hasPictures": .flag(picture != nil || organization != nil),
            "picture": .group(ifAny: picture?.content),
            "organizationBadge": .group(ifAny: organization?.content),
            "isWay": .flag(picture != nil && organization != nil),
            "organizationName": .text(ifAny: organization?.name.shown),
            "lead": .sentence(ifAny: lead),
            "notice": .sentence(ifAny: notice),
            "problem": .sentence(ifAny: problem),
            "who": .group(ifAny: person.map(who)),
            "form": .group(form.content),
            "account": .text(ifAny: userName),
            "names": .group(ifAny: names?.content),
            "fields": .list(fields.map(\.content)),
            "button": .sentence(button),
            "isDangerous": .flag(isDangerous),
            "passkey": .group(ifAny: passkey?.content),
            "ways": .list(ways.map(\.content)),
            "hasWays": .flag(!ways.isEmpty),
            "aside": .sentence(ifAny: aside),
            "maker": .sentence(ifAny: maker),
        ]
        return View("form", heading: heading, content: content.merging(values) { own, _ in own }, owner: owner)
    }

    private func who(_ person: SignedInPerson, _ account: AccountKind, _ switchAccount: Form) -> Content {
        [
            "person": .group(person.content),
            "isPersonal": .flag(account.organization == nil),
            "switchAccount": .group(switchAccount.content),
        ]
    }
}

extension Sentence {
    /// Too many people sign in at this moment for their passwords to be checked. The attempt was not counted.
    static let busy = Sentence("form.busy")

    /// - Parameter minutes: 1 or more.
    static func tooManyAttempts(minutes: Int) -> Sentence {
        Sentence("form.tooManyAttempts", ["minutes": .count(minutes)])
    }
}
