import Authorization
import Mail

/// The mails about accounts. What they say, in which words, is the pages' business.
package enum AccountLetter: Equatable, Sendable {
    /// Shows that the address of an account to be is theirs.
    case signUpCode(String)
    /// Somebody, perhaps they, wanted to make an account with an address that has one.
    case accountExists
    case resetCode(String)
    /// A password was said to be forgotten, and an organization administers the account.
    case managedAccount(organization: String)
    /// Shows that the new address of an account is theirs.
    case changeCode(String)
    /// Somebody, perhaps they, wanted to use an address that has an account already for another one.
    case addressTaken
    /// To the old address.
    case emailChanged(to: String)
    /// Forgotten, and replaced with a code.
    case passwordReplaced
    /// In a browser, by whoever was signed in there.
    case passwordChanged
    /// The operator gave a temporary one.
    case passwordIssued

    /// Puts a mail into words.
    /// - Parameters:
    ///   - language: a tag such as `ja`.
    /// - Returns: subject and text.
    package typealias Writing =
        @Sendable (_ letter: AccountLetter, _ language: String) -> (
            subject: String, text: String
        )
}
