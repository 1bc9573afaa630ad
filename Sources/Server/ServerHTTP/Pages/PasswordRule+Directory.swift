import Directory
import ServerPages

extension PasswordRule {
    init(_ policy: PasswordPolicy) {
        self =
            switch policy {
            case .fourDigits: .fourDigits
            case .sixDigits: .sixDigits
            case .standard: .standard
            }
    }
}

extension PasswordAdvice {
    init(_ problem: PasswordProblem) {
        self =
            switch problem {
            case .doesNotFit: .doesNotFit
            case .common: .common
            case .personal: .personal
            case .repetitive: .repetitive
            }
    }
}
