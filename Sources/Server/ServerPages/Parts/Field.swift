/// One labelled input of a form: label above, hint below, then what is wrong with it.
struct Field {
    enum Kind {
        case userName, newUserName, currentPassword, newPassword, newPasscode, givenName, familyName
        /// An email address that is, or becomes, the user name.
        case emailAsUserName
        case email
        /// Six digits from an email.
        case emailedCode
        /// Letters and digits from the screen of another device.
        case deviceCode
        /// Six digits from a generator.
        case oneTimeCode
        /// A code from a sheet of paper.
        case recoveryCode
        /// What a passkey is called in the person's list.
        case passkeyName
        /// A text that has to be typed to confirm.
        case confirmation
    }

    /// The name in the form and the id in the document.
    let name: String
    let kind: Kind
    let label: Sentence
    /// What was typed before; never a password.
    var value = ""
    var hint: Sentence?
    var problem: Sentence?
    /// Whether the field gets the focus: the first one that needs attention.
    var isFocused = false
    /// Whether the element `message` above the form concerns this field.
    var hasMessage = false
    /// Whether that message says that this field may be wrong.
    var isSuspect = false
    /// Whether the browser may offer a passkey here, where it offers user names.
    var takesPasskey = false
    /// Whether Enter on a phone's keyboard sends the form instead of moving to the next field.
    var isLast = false

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
            "isVerbatim": .flag(isVerbatim),
            "isCode": .flag(isCode),
            "isCapital": .flag(kind == .deviceCode),
            "inputMode": .text(ifAny: inputMode),
            "enterKeyHint": .text(isLast ? "go" : "next"),
            "autocomplete": .text(autocomplete),
            "describedBy": .text(ifAny: describedBy),
        ]
    }

    private var isCode: Bool {
        switch kind {
        case .emailedCode, .deviceCode, .oneTimeCode, .recoveryCode: true
        case .userName, .newUserName, .givenName, .familyName, .emailAsUserName, .email, .currentPassword,
            .newPassword, .newPasscode, .passkeyName, .confirmation:
            false
        }
    }

    private var isPassword: Bool {
        switch kind {
        case .currentPassword, .newPassword, .newPasscode: true
        case .userName, .newUserName, .givenName, .familyName, .emailAsUserName, .email, .emailedCode, .deviceCode,
            .oneTimeCode, .recoveryCode, .passkeyName, .confirmation:
            false
        }
    }

    /// Whether keyboards and spell checkers must not change what is typed.
    private var isVerbatim: Bool {
        switch kind {
        case .userName, .newUserName, .emailAsUserName, .email, .emailedCode, .deviceCode, .oneTimeCode, .recoveryCode,
            .confirmation:
            true
        case .givenName, .familyName, .currentPassword, .newPassword, .newPasscode, .passkeyName: false
        }
    }

    private var inputMode: String? {
        switch kind {
        case .newPasscode, .emailedCode, .oneTimeCode: "numeric"
        case .emailAsUserName, .email, .confirmation: "email"
        case .userName, .newUserName, .givenName, .familyName, .currentPassword, .newPassword, .deviceCode,
            .recoveryCode, .passkeyName:
            nil
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
        case .userName, .newUserName, .emailAsUserName: takesPasskey ? "username webauthn" : "username"
        case .currentPassword: "current-password"
        case .newPassword, .newPasscode: "new-password"
        case .givenName: "given-name"
        case .familyName: "family-name"
        case .email: "email"
        case .emailedCode, .oneTimeCode: "one-time-code"
        case .deviceCode, .recoveryCode, .passkeyName, .confirmation: "off"
        }
    }
}
