/// What the template `form` shows: one question, its fields, one button, and quieter ways out.
struct FormLayout {
    /// A way out besides the button.
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
    /// Whose people the page is for: in the picture, and by name above the heading.
    var organization: Badge?
    var lead: Sentence?
    /// Whose form it is, where another person may sit at the browser; and what leads to another account.
    var person: (person: SignedInPerson, account: AccountKind, switchAccount: Form)?
    /// What went well, or needs to be known.
    var notice: Sentence?
    /// What is wrong with the form as a whole; fields refer to it with `hasMessage`.
    var problem: Sentence?
    var names: NameFields?
    var fields: [Field] = []
    /// For the browser's password store, which otherwise saves a new password without a name.
    var userName: String?
    /// The button cannot be taken back.
    var isDangerous = false
    var ways: [Way] = []
    var aside: Sentence?
    /// Who makes the app for which something is asked.
    var maker: Sentence?

    /// - Parameter values: for the placeholders of the sentences.
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
    /// More people sign in at this moment than passwords can be checked. Nothing was counted against anyone.
    static let busy = Sentence("form.busy")

    /// - Parameter minutes: 1 or more.
    static func tooManyAttempts(minutes: Int) -> Sentence {
        Sentence("form.tooManyAttempts", ["minutes": .count(minutes)])
    }
}
