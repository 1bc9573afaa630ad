import Administration
import Authorization
import CommandOutput

extension AccessRecord {
    var text: String {
        let words = mode.words(for: purpose == AccessRule.Purpose.signIn.word)
        let head = "\(organizationName): \(words) (version \(version))."
        if apps.isEmpty {
            return mode == .allowOnlyListedApps ? "\(head)\nNo app is on the list." : head
        }
        return """
            \(head)

            \(Table.text(["ON THE LIST", "CLIENT ID", "CONNECTED"], apps.map { [$0.name, $0.clientID, $0.isConnected ? "yes" : "no"] }))
            """
    }
}

extension AccessRule.Mode {
    func words(for isSignIn: Bool) -> String {
        switch self {
        case .allowAllApps:
            isSignIn ? "people can sign in to all apps" : "all apps may ask for consent and read"
        case .allowOnlyListedApps:
            isSignIn ? "people can sign in to listed apps only" : "only listed apps may ask for consent and read"
        }
    }
}
