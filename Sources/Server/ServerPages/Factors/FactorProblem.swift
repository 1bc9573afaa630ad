/// What is wrong with what a person has shown besides a password.
package enum FactorProblem: Equatable, Sendable {
    case wrongCode
    /// The passkey is not known, not the person's, or came too late: the page does not tell more.
    case passkey
    /// The passkey is registered already.
    case passkeyKnown
    /// The person has `max` passkeys already.
    case tooManyPasskeys(max: Int)
    case wrongPassword
    /// `minutes` is 1 or more.
    case tooManyAttempts(minutes: Int)
    case busy

    /// The sentence above the form; nil for what is said beside a field.
    var message: Sentence? {
        switch self {
        case .wrongCode, .wrongPassword: nil
        case .passkey: Sentence("factor.passkeyRefused")
        case .passkeyKnown: Sentence("factor.passkeyKnown")
        case .tooManyPasskeys(let max): Sentence("factor.tooManyPasskeys", ["passkeys": .count(max)])
        case .tooManyAttempts(let minutes): .tooManyAttempts(minutes: minutes)
        case .busy: .busy
        }
    }

    /// The sentence beside the field.
    var fieldProblem: Sentence? {
        switch self {
        case .wrongCode: Sentence("factor.wrongCode")
        case .wrongPassword: Sentence("password.wrongCurrent")
        case .passkey, .passkeyKnown, .tooManyPasskeys, .tooManyAttempts, .busy: nil
        }
    }

    static let sentences = ["passkeyRefused", "passkeyKnown", "tooManyPasskeys", "wrongCode"].map {
        Sentence("factor.\($0)")
    }
}
