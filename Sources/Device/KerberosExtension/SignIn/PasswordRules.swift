import KerberosProfile

/// What a payload says about new passwords. They are said before somebody chooses one, and what can be looked at here is looked
/// at before the server does; the server decides.
struct PasswordRules: Sendable {
    let settings: KerberosSettings

    func said(_ words: Words) -> [String] {
        var rules: [String] = []
        if let count = settings.pwReqLength { rules.append(words("ruleLength", ["count": "\(count)"])) }
        if settings.pwReqComplexity { rules.append(words("ruleComplexity")) }
        if rules.isEmpty, let text = settings.pwReqText { rules.append(text) }
        if let count = settings.pwReqHistory { rules.append(words("ruleHistory", ["count": "\(count)"])) }
        if let count = settings.pwReqMinAge { rules.append(words("ruleAge", ["count": "\(count)"])) }
        return rules
    }

    /// - Returns: what is wrong with a new password; nil if nothing is known.
    func problem(_ new: String, again: String, old: String, user: String, _ words: Words) -> String? {
        if new.isEmpty { return words("noPassword") }
        if new != again { return words("different") }
        if new == old { return words("unchanged") }
        if let count = settings.pwReqLength, new.count < count { return words("ruleLength", ["count": "\(count)"]) }
        guard settings.pwReqComplexity else { return nil }
        let kinds = [
            new.contains(where: \.isUppercase), new.contains(where: \.isLowercase), new.contains(where: \.isNumber),
            new.contains { !$0.isLetter && !$0.isNumber },
        ]
        // Letters of scripts without capitals are the fifth kind of Active Directory.
        let others = new.contains { $0.isLetter && !$0.isUppercase && !$0.isLowercase }
        let count = kinds.count { $0 } + (others ? 1 : 0)
        // Some people sign in as `mika@school.test`; nobody's password has to do without their organization's name.
        let name = user.prefix { $0 != "@" }.lowercased()
        let hasName = name.count >= 3 && new.lowercased().contains(name)
        return count >= 3 && !hasName ? nil : words("ruleComplexity")
    }
}
