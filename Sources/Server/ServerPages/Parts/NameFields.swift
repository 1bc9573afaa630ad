/// Given and family name, asked for in the order of the language. They post `given_name` and `family_name`.
struct NameFields {
    let givenName: String
    let familyName: String
    let isGivenNameWrong: Bool
    let isFamilyNameWrong: Bool

    init(givenName: String, familyName: String, isGivenNameWrong: Bool = false, isFamilyNameWrong: Bool = false) {
        self.givenName = givenName
        self.familyName = familyName
        self.isGivenNameWrong = isGivenNameWrong
        self.isFamilyNameWrong = isFamilyNameWrong
    }

    static let problems = [
        Sentence("form.givenNameMissing"), Sentence("form.familyNameMissing"), Sentence("form.nameNotAllowed"),
    ]

    /// The problem with a name: it is missing, too long, or contains characters that names do not have.
    private static func problem(with name: String, ifMissing missing: Sentence) -> Sentence {
        name.allSatisfy(\.isWhitespace) ? missing : Sentence("form.nameNotAllowed")
    }

    // The order of the fields depends on the language, so neither gets the focus without a problem. If both are wrong,
    // the first one does.

    var content: Content {
        [
            "givenName": .group(given(isFocused: isGivenNameWrong).content),
            "familyName": .group(family(isFocused: isFamilyNameWrong && !isGivenNameWrong).content),
            "familyNameAhead": .group(family(isFocused: isFamilyNameWrong).content),
            "givenNameBehind": .group(given(isFocused: isGivenNameWrong && !isFamilyNameWrong).content),
        ]
    }

    private func given(isFocused: Bool) -> Field {
        Field(
            name: "given_name", kind: .givenName, label: Sentence("form.givenName"), value: givenName,
            problem: isGivenNameWrong ? Self.problem(with: givenName, ifMissing: Self.problems[0]) : nil,
            isFocused: isFocused)
    }

    private func family(isFocused: Bool) -> Field {
        Field(
            name: "family_name", kind: .familyName, label: Sentence("form.familyName"), value: familyName,
            problem: isFamilyNameWrong ? Self.problem(with: familyName, ifMissing: Self.problems[1]) : nil,
            isFocused: isFocused)
    }
}
