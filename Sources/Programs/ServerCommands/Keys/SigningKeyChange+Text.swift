import Administration
import Authorization
import CommandOutput

extension SigningKeyChange {
    /// What the command prints.
    var text: String {
        var lines: [String] = []
        for new in keys where made.contains(new.keyID) {
            lines.append(
                "Made \(new.keyID) (\(new.algorithm.rawValue)), which signs from \(new.signsFrom.minuteText) UTC.")
        }
        if !retired.isEmpty {
            lines.append("Retired: \(retired.joined(separator: ", ")). Servers that run know within seconds.")
        }
        for signing in keys where made.isEmpty && signing.state == .signing {
            lines.append("\(signing.keyID) signs with \(signing.algorithm.rawValue).")
        }
        return lines.joined(separator: "\n")
    }
}
