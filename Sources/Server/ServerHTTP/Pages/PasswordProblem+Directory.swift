import Directory
import ServerPages

extension ServerPages.PasswordProblem {
    init(_ problem: Directory.PasswordProblem) {
        self =
            switch problem {
            case .doesNotFit: .doesNotFit
            case .common: .common
            case .personal: .personal
            case .repetitive: .repetitive
            }
    }
}
