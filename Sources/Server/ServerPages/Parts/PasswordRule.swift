/// The form of a password. The server checks it, and pages describe it.
package enum PasswordRule: String, CaseIterable, Sendable {
    /// 8 or more characters, letters and digits.
    case standard
    case sixDigits
    case fourDigits

    var hint: Sentence { Sentence("password.\(rawValue)") }
    var problem: Sentence { Sentence("password.\(rawValue)Problem") }
    var fieldKind: Field.Kind { self == .standard ? .newPassword : .newPasscode }
}
