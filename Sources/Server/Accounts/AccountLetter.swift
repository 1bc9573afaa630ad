import Authorization
import Foundation
import Mail

/// The mails about accounts. `ServerPages` has their words.
package enum AccountLetter: Equatable, Sendable {
    /// A code for a new account, which shows that the address belongs to the applicant.
    case signUpCode(String)
    /// A new account was asked for with an address that has one already, perhaps by its owner.
    case accountExists
    case resetCode(String)
    /// A new password was asked for, but an organization administers the account.
    case managedAccount(organization: String)
    /// A code for a new address, which shows that it belongs to the owner of the account.
    case changeCode(String)
    /// An account was to get an address that another account has already.
    case addressTaken
    /// Goes to the old address.
    case emailChanged(to: String)
    /// A forgotten password was replaced with the help of a code.
    case passwordReplaced
    /// The password was changed in a browser in which the person was signed in.
    case passwordChanged
    /// The operator issued a temporary password.
    case passwordIssued
    /// A temporary password for a member of staff, who gets it in no other way.
    case temporaryPassword(TemporaryPassword)
    /// A passkey or one-time codes were added or removed in a browser in which the person was signed in.
    case factorsChanged
    /// An administrator took all passkeys and codes away.
    case factorsReset

    package struct TemporaryPassword: Equatable, Sendable {
        package let organization: String
        package let userName: String
        package let password: String
        package let validUntil: Date
        /// Whether it takes the place of a password that the person had.
        package let isReplacement: Bool

        package init(
            organization: String, userName: String, password: String, validUntil: Date, isReplacement: Bool
        ) {
            self.organization = organization
            self.userName = userName
            self.password = password
            self.validUntil = validUntil
            self.isReplacement = isReplacement
        }
    }

    /// Writes the words of a mail.
    /// - Parameters:
    ///   - language: a tag such as `ja`.
    /// - Returns: subject and text.
    package typealias Writing =
        @Sendable (_ letter: AccountLetter, _ language: String) -> (
            subject: String, text: String
        )
}
