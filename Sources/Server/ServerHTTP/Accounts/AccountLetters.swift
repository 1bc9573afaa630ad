import Accounts
import Authorization
import Foundation
import HTTPTypes
import Hummingbird
import ServerPages

extension AccountLetter {
    /// Writes mails about accounts, with the texts of `ServerPages`.
    /// - Parameter baseURL: of the server; mails name its host, and say where people sign in.
    package static func writing(from baseURL: String) throws -> Writing {
        writing(with: try Pages(), from: baseURL)
    }

    static func writing(with pages: Pages, from baseURL: String) -> Writing {
        let host = URLComponents(string: baseURL)?.host ?? baseURL
        let address = baseURL.asTyped
        return { letter, language in
            pages.write(
                Letter(
                    Letter.Occasion(letter, address: address), host: host,
                    minutes: Int(EmailChallenge.lifetime / 60)),
                in: Language(rawValue: language) ?? .english)
        }
    }
}

extension Letter.Occasion {
    /// - Parameter address: where people sign in, as they are to type it.
    fileprivate init(_ letter: AccountLetter, address: String) {
        self =
            switch letter {
            case .signUpCode(let code): .signUpCode(code)
            case .accountExists: .accountExists
            case .resetCode(let code): .resetCode(code)
            case .managedAccount(let organization): .managedAccount(organization: organization)
            case .changeCode(let code): .changeCode(code)
            case .addressTaken: .addressTaken
            case .emailChanged(let email): .emailChanged(to: email)
            case .passwordReplaced: .passwordReplaced
            case .passwordChanged: .passwordChanged
            case .passwordIssued: .passwordIssued
            case .temporaryPassword(let new):
                .temporaryPassword(
                    Letter.TemporaryPassword(
                        organization: new.organization, address: address, userName: new.userName,
                        password: new.password, lastDay: new.validUntil, isReplacement: new.isReplacement))
            case .factorsChanged: .factorsChanged
            case .factorsReset: .factorsReset
            }
    }
}

extension PersonalAccounts.Visit {
    init(_ request: Request, _ context: AppContext, _ visitor: Visitor) {
        self.init(
            browser: visitor.browserSecret, language: visitor.language.rawValue,
            userAgent: request.headers[.userAgent], sessionToken: visitor.sessionToken,
            knownBrowser: visitor.knownBrowser,
            origin: .request(context))
    }
}
