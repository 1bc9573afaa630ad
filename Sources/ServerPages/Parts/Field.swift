/// One labelled input of a form: label above, hint below, then what is wrong with it.
struct Field {
    enum Kind {
        case userName, newUserName, currentPassword, newPassword, newPasscode, givenName, familyName
    }

    /// Name in the form, and id in the document.
    let name: String
    let kind: Kind
    let label: Sentence
    /// What was typed before; never a password.
    var value = ""
    var hint: Sentence?
    var problem: Sentence?
    /// The page opens with the cursor here: the first field that needs attention.
    var isFocused = false
    /// The page says above the form, in the element `message`, something that concerns this field.
    var hasMessage = false
    /// The message says that this field may be wrong.
    var isSuspect = false

    var content: Content {
        [
            "fieldName": .text(name),
            "fieldLabel": .sentence(label),
            "fieldValue": .text(value),
            "fieldHint": .sentence(ifAny: hint),
            "fieldProblem": .sentence(ifAny: problem),
            "isInvalid": .flag(problem != nil || isSuspect),
            "isFocused": .flag(isFocused),
            "isPassword": .flag(isPassword),
            "isUserName": .flag(kind == .userName || kind == .newUserName),
            "isPasscode": .flag(kind == .newPasscode),
            "autocomplete": .text(autocomplete),
            "describedBy": .text(ifAny: describedBy),
        ]
    }

    private var isPassword: Bool {
        switch kind {
        case .currentPassword, .newPassword, .newPasscode: true
        case .userName, .newUserName, .givenName, .familyName: false
        }
    }

    /// Ids of the elements that a screen reader reads after the label.
    private var describedBy: String? {
        var ids: [String] = []
        if hasMessage { ids.append("message") }
        if problem != nil { ids.append("\(name)-problem") }
        if hint != nil { ids.append("\(name)-hint") }
        return ids.isEmpty ? nil : ids.joined(separator: " ")
    }

    /// Autofill detail tokens of the HTML standard.
    private var autocomplete: String {
        switch kind {
        case .userName, .newUserName: "username"
        case .currentPassword: "current-password"
        case .newPassword, .newPasscode: "new-password"
        case .givenName: "given-name"
        case .familyName: "family-name"
        }
    }
}
