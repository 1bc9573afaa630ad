/// A mail to somebody: subject and plain text, in words of the catalogues. It has no links: what a mail asks for is
/// done where the person is already, and nobody learns to press links in mails. A code stands in the subject and on a line
/// of its own: it is found at a glance, and without opening the mail.
package struct Letter: Sendable {
    package enum Occasion: Sendable {
        /// The code for an account to be.
        case signUpCode(String)
        case resetCode(String)
        case changeCode(String)
        /// Somebody wanted to make an account with an address that has one.
        case accountExists
        /// A new password was asked for, and the organization gives it.
        case managedAccount(organization: String)
        /// Somebody wanted to use the address for another account.
        case addressTaken
        /// To the old address.
        case emailChanged(to: String)
        /// With a code that went to the address.
        case passwordReplaced
        /// In a browser, by whoever was signed in there.
        case passwordChanged
        /// The operator gave a temporary one.
        case passwordIssued
    }

    package let occasion: Occasion
    /// Of the server, as people know it: "id.school.example".
    package let host: String
    /// How long a code is good.
    package let minutes: Int

    package init(_ occasion: Occasion, host: String, minutes: Int) {
        self.occasion = occasion
        self.host = host
        self.minutes = minutes
    }

    private var subject: String {
        switch occasion {
        case .signUpCode, .resetCode, .changeCode: "mail.codeSubject"
        case .accountExists: "mail.existsSubject"
        case .managedAccount: "mail.managedSubject"
        case .addressTaken: "mail.takenSubject"
        case .emailChanged: "mail.changedSubject"
        case .passwordReplaced, .passwordChanged, .passwordIssued: "mail.replacedSubject"
        }
    }

    /// What happened, and what to do if one did not ask for it.
    private var paragraphs: [String] {
        switch occasion {
        case .signUpCode: ["mail.code", "mail.signUpCode", "mail.codeNotAsked"]
        case .resetCode: ["mail.code", "mail.resetCode", "mail.codeNotAsked"]
        case .changeCode: ["mail.code", "mail.changeCode", "mail.codeNotAsked"]
        case .accountExists: ["mail.exists", "mail.nothingChanged"]
        case .managedAccount: ["mail.managed", "mail.nothingChanged"]
        case .addressTaken: ["mail.taken", "mail.nothingChanged"]
        case .emailChanged: ["mail.changed", "mail.changedNotYou"]
        case .passwordReplaced: ["mail.replaced", "mail.replacedNotYou"]
        case .passwordChanged: ["mail.passwordChanged", "mail.changedNotYou"]
        case .passwordIssued: ["mail.passwordIssued", "mail.issuedNotYou"]
        }
    }

    private var values: Content {
        var values: Content = ["host": .text(host), "minutes": .count(minutes)]
        switch occasion {
        case .signUpCode(let code), .resetCode(let code), .changeCode(let code): values["code"] = .text(code)
        case .managedAccount(let organization): values["organization"] = .text(organization)
        case .emailChanged(let email): values["email"] = .text(email)
        case .accountExists, .addressTaken, .passwordReplaced, .passwordChanged, .passwordIssued: break
        }
        return values
    }

    /// - Returns: the finished words; text, not HTML.
    func words(in catalogue: Catalogue) -> (subject: String, text: String) {
        func sentence(_ key: String) -> String { catalogue.text(Sentence(key), with: values) ?? "" }
        return (sentence(subject), paragraphs.map(sentence).joined(separator: "\n\n") + "\n")
    }

    static var sentences: [Sentence] {
        let occasions: [Occasion] = [
            .signUpCode(""), .resetCode(""), .changeCode(""), .accountExists, .managedAccount(organization: ""),
            .addressTaken, .emailChanged(to: ""), .passwordReplaced, .passwordChanged, .passwordIssued,
        ]
        return occasions.map { Letter($0, host: "", minutes: 0) }.flatMap { [$0.subject] + $0.paragraphs }
            .map { Sentence($0) }
    }
}

extension Pages {
    package func write(_ letter: Letter, in language: Language) -> (subject: String, text: String) {
        letter.words(in: catalogues[language])
    }
}
