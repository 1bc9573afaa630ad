/// What a page says about a password that cannot be chosen.
package enum PasswordAdvice: String, CaseIterable, Hashable, Sendable {
    /// It does not have the form that the policy requires.
    case doesNotFit
    /// It is among the first that a stranger would try.
    case common
    /// It is a name that belongs to the person, their organization or Lanyard.
    case personal
    /// It repeats itself, or counts up.
    case repetitive

    func sentence(_ policy: PasswordRule) -> Sentence {
        self == .doesNotFit ? policy.problem : Sentence("password.\(rawValue)Problem")
    }

    static var sentences: [Sentence] { allCases.map { $0.sentence(.standard) } }
}
