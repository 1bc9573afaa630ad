import Ground
import Storage

/// What a password must look like. The raw values are those of the CSV files.
package enum PasswordPolicy: String, Sendable, SQLConvertible, Codable, CaseIterable {
    case fourDigits = "4"
    case sixDigits = "6"
    /// 8 or more characters, letters and digits among them.
    case standard = "8"

    /// Maximum length in UTF-8 bytes: enough for any passphrase, and few enough that its length does not matter to the
    /// time of a hash.
    package static let bytesMax = 1_024

    package func accepts(_ password: String) -> Bool {
        switch self {
        case .fourDigits: Self.isDigits(password, 4)
        case .sixDigits: Self.isDigits(password, 6)
        case .standard:
            password.utf8.count <= Self.bytesMax && password.count >= 8
                && password.contains(where: \.isLetter) && password.contains(where: \.isNumber)
        }
    }

    private static func isDigits(_ password: String, _ count: Int) -> Bool {
        password.utf8.count == count
            && password.utf8.allSatisfy(\.isDigit)
    }

    /// The policy for a person. Only people who are pupils and nothing else may have a short passcode.
    /// - Parameter locations: the default for pupils at each of the person's locations, in order.
    package static func effective(
        own: PasswordPolicy?, roles: some Sequence<Role>, locations: [PasswordPolicy?]
    ) -> PasswordPolicy {
        let roles = Set(roles)
        guard roles == [.student] else { return .standard }
        return own ?? locations.lazy.compactMap { $0 }.first ?? .standard
    }

    package static func effective(for person: Person, in transaction: some Transaction) throws -> PasswordPolicy {
        try PersonFacts.read(of: person.id, in: transaction).passwordPolicy(own: person.passwordPolicy)
    }
}
