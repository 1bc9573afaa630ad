import Foundation

/// A mail: subject and plain text from the catalogues. It has no links, so that people do not get used to following
/// links in mails; what it asks for is done on the page that the person has open. A code is in the subject and on a
/// line of its own, so that it is found at a glance and without opening the mail.
package struct Letter: Sendable {
    package enum Occasion: Sendable {
        /// The code that completes a sign-up.
        case signUpCode(String)
        case resetCode(String)
        case changeCode(String)
        /// Somebody tried to sign up with an address that has an account already.
        case accountExists
        /// A new password was requested for a managed account; only the organization can give it.
        case managedAccount(organization: String)
        /// Somebody tried to use the address for another account.
        case addressTaken
        /// Sent to the old address after a change.
        case emailChanged(to: String)
        /// The password was replaced with a code sent to the address.
        case passwordReplaced
        /// The password was changed by the person signed in in a browser.
        case passwordChanged
        /// The operator has issued a temporary password.
        case passwordIssued
        /// To a member of staff: the password with which they sign in first.
        case temporaryPassword(TemporaryPassword)
        /// Passkeys or codes were added or removed by the person signed in in a browser.
        case factorsChanged
        /// An administrator has removed all passkeys and codes.
        case factorsReset
        /// To those who decide for an organization: a consent ends soon.
        case consentEnds(EndingConsent)
        /// To those who may import for an organization: an import waits for approval.
        case importHeld(HeldImport)
        /// To those who may import for an organization: what came of the files that lay in a folder.
        case pickedUp(PickedUp)
    }

    /// What somebody signs in with for the first time, and where.
    package struct TemporaryPassword: Sendable {
        package let organization: String
        /// Where people sign in, as they are to type it.
        package let address: String
        package let userName: String
        package let password: String
        package let lastDay: Date
        /// Whether it takes the place of a password that the person had.
        package let isReplacement: Bool

        package init(
            organization: String, address: String, userName: String, password: String, lastDay: Date,
            isReplacement: Bool
        ) {
            self.organization = organization
            self.address = address
            self.userName = userName
            self.password = password
            self.lastDay = lastDay
            self.isReplacement = isReplacement
        }

        fileprivate static func sample(isReplacement: Bool) -> TemporaryPassword {
            TemporaryPassword(
                organization: "", address: "", userName: "", password: "", lastDay: .distantPast,
                isReplacement: isReplacement)
        }

        fileprivate var values: Content {
            [
                "organization": .text(organization), "address": .text(address), "userName": .text(userName),
                "password": .text(password), "day": .day(lastDay),
            ]
        }
    }

    /// How many people an import that is held would add, change or deactivate.
    package struct HeldImport: Sendable {
        package let organization: String
        /// The names of the schools whose files they are; nil for files of the whole organization.
        package let schools: String?
        package let coming: Int
        package let changing: Int
        package let leaving: Int

        package init(organization: String, schools: String?, coming: Int, changing: Int, leaving: Int) {
            self.organization = organization
            self.schools = schools
            self.coming = coming
            self.changing = changing
            self.leaving = leaving
        }

        fileprivate static func sample(ofSchool: Bool) -> HeldImport {
            HeldImport(organization: "", schools: ofSchool ? "" : nil, coming: 0, changing: 0, leaving: 0)
        }

        fileprivate var values: Content {
            [
                "organization": .text(organization), "schools": .text(schools ?? ""), "coming": .count(coming),
                "changing": .count(changing), "leaving": .count(leaving),
            ]
        }
    }

    /// What came of the files that lay in a folder.
    package struct PickedUp: Sendable {
        package enum Outcome: String, CaseIterable, Sendable {
            case applied = "Applied"
            case defective = "Defective"
            case missing = "Missing"
            case unreadable = "Unreadable"
            case unfinished = "Unfinished"
        }

        package let organization: String
        package let outcome: Outcome
        package let errors: Int
        /// How many people have come, changed or left.
        package let coming: Int
        package let changing: Int
        package let leaving: Int

        package init(
            organization: String, outcome: Outcome, errors: Int = 0, coming: Int = 0, changing: Int = 0,
            leaving: Int = 0
        ) {
            self.organization = organization
            self.outcome = outcome
            self.errors = errors
            self.coming = coming
            self.changing = changing
            self.leaving = leaving
        }

        fileprivate var values: Content {
            [
                "organization": .text(organization), "errors": .count(errors), "coming": .count(coming),
                "changing": .count(changing), "leaving": .count(leaving),
            ]
        }
    }

    /// What an organization shares with an app, and until when.
    package struct EndingConsent: Sendable {
        package let organization: String
        package let app: String
        package let team: String
        package let lastDay: Date
        package let scopes: Set<ConsentScope>
        package let people: Int
        package let classes: Int

        package init(
            organization: String, app: String, team: String, lastDay: Date, scopes: Set<ConsentScope>, people: Int,
            classes: Int
        ) {
            self.organization = organization
            self.app = app
            self.team = team
            self.lastDay = lastDay
            self.scopes = scopes
            self.people = people
            self.classes = classes
        }

        fileprivate var values: Content {
            [
                "organization": .text(organization), "app": .text(app), "team": .text(team), "day": .day(lastDay),
                "shared": .sentence(Sentence("mail.shared\(scopes.words)")),
                "people": .sentence(Sentence("consent.usersCount", ["count": .count(people)])),
                "classes": .sentence(Sentence("consent.classesCount", ["count": .count(classes)])),
            ]
        }

        fileprivate static let sample = EndingConsent(
            organization: "", app: "", team: "", lastDay: .distantPast, scopes: [], people: 0, classes: 0)
        fileprivate static let sentences = ["sharedUsersAndClasses", "sharedUsers", "sharedClasses"].map {
            Sentence("mail.\($0)")
        }
    }

    package let occasion: Occasion
    /// The server's host name as people know it, such as "id.school.example".
    package let host: String
    /// How long the code is valid.
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
        case .temporaryPassword: "mail.temporarySubject"
        case .factorsChanged, .factorsReset: "mail.factorsSubject"
        case .consentEnds: "mail.consentEndsSubject"
        case .importHeld(let held):
            held.schools == nil ? "mail.importHeldSubject" : "mail.importOfSchoolHeldSubject"
        case .pickedUp(let files): "mail.pickedUp\(files.outcome.rawValue)Subject"
        }
    }

    /// What happened, and what to do if the reader did not cause it.
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
        case .temporaryPassword(let new):
            [
                new.isReplacement ? "mail.temporaryAgain" : "mail.temporaryFirst", "mail.temporaryPassword",
                "mail.temporaryUntil", "mail.issuedNotYou",
            ]
        case .factorsChanged: ["mail.factorsChanged", "mail.factorsNotYou"]
        case .factorsReset: ["mail.factorsReset", "mail.issuedNotYou"]
        case .consentEnds: ["mail.consentEnds", "mail.consentRenew"]
        case .importHeld(let held):
            [held.schools == nil ? "mail.importHeld" : "mail.importOfSchoolHeld", "mail.importApprove"]
        case .pickedUp(let files): ["mail.pickedUp\(files.outcome.rawValue)", "mail.pickedUpLook"]
        }
    }

    private var values: Content {
        var values: Content = ["host": .text(host), "minutes": .count(minutes)]
        switch occasion {
        case .signUpCode(let code), .resetCode(let code), .changeCode(let code): values["code"] = .text(code)
        case .managedAccount(let organization): values["organization"] = .text(organization)
        case .emailChanged(let email): values["email"] = .text(email)
        case .temporaryPassword(let new): values.merge(new.values) { $1 }
        case .consentEnds(let consent): values.merge(consent.values) { $1 }
        case .importHeld(let held): values.merge(held.values) { $1 }
        case .pickedUp(let files): values.merge(files.values) { $1 }
        case .accountExists, .addressTaken, .passwordReplaced, .passwordChanged, .passwordIssued, .factorsChanged,
            .factorsReset:
            break
        }
        return values
    }

    /// - Returns: subject and text in the catalogue's language: plain text, not HTML.
    func words(in catalogue: Catalogue) -> (subject: String, text: String) {
        func sentence(_ key: String) -> String { catalogue.text(Sentence(key), with: values) ?? "" }
        return (sentence(subject), paragraphs.map(sentence).joined(separator: "\n\n") + "\n")
    }

    static var sentences: [Sentence] {
        let occasions: [Occasion] = [
            .signUpCode(""), .resetCode(""), .changeCode(""), .accountExists, .managedAccount(organization: ""),
            .addressTaken, .emailChanged(to: ""), .passwordReplaced, .passwordChanged, .passwordIssued,
            .temporaryPassword(.sample(isReplacement: false)), .temporaryPassword(.sample(isReplacement: true)),
            .factorsChanged, .factorsReset, .consentEnds(.sample), .importHeld(.sample(ofSchool: false)),
            .importHeld(.sample(ofSchool: true)),
        ]
        let pickedUp = PickedUp.Outcome.allCases.map { Occasion.pickedUp(PickedUp(organization: "", outcome: $0)) }
        return (occasions + pickedUp).map { Letter($0, host: "", minutes: 0) }.flatMap { [$0.subject] + $0.paragraphs }
            .map { Sentence($0) } + EndingConsent.sentences
    }
}

extension Pages {
    package func write(_ letter: Letter, in language: Language) -> (subject: String, text: String) {
        letter.words(in: catalogues[language])
    }
}
