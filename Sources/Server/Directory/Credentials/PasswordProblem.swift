import Foundation
import Storage

/// Why a password cannot be chosen.
package enum PasswordProblem: String, CaseIterable, Hashable, Sendable {
    /// It does not have the form that the policy requires.
    case doesNotFit
    /// It is among the first that a stranger would try.
    case common
    /// It is a name that belongs to the person, their organization or Lanyard, with digits or signs.
    case personal
    /// It repeats itself, or counts up or down.
    case repetitive
}

extension PasswordPolicy {
    /// Why a password cannot be chosen; nil if it can. For passcodes only the form is checked: there are few of them,
    /// and excluding common ones would leave even fewer.
    package func problem(with password: String, of owner: PasswordOwner) -> PasswordProblem? {
        guard accepts(password) else { return .doesNotFit }
        guard self == .standard else { return nil }
        if Self.isRepetitive(password) { return .repetitive }
        if owner.isMeant(by: password) { return .personal }
        return CommonPasswords.contain(password) ? .common : nil
    }

    /// Whether fewer than four characters are not predictable from those before: `aaaaaaa1`, `a1a1a1a1`, `12345678a`.
    private static func isRepetitive(_ password: String) -> Bool {
        let scalars = password.lowercased().unicodeScalars.map { Int($0.value) }
        let surprising = scalars.indices.count { index in
            // Predictable: the same as the last one, its successor or predecessor, or part of a pattern of up to four
            // characters.
            index == 0
                || abs(scalars[index] - scalars[index - 1]) > 1
                    && !(2...4).contains { index >= $0 && scalars[index - $0] == scalars[index] }
        }
        return surprising < 4
    }
}

/// Words that belong to an account: names of the person, the organization and Lanyard. A password must not be one of
/// them.
package struct PasswordOwner: Sendable {
    /// The words in lower-case letters, without accents and other characters.
    private let words: Set<String>

    package init(
        givenName: String, familyName: String, userName: String, email: String? = nil, organization: String? = nil
    ) {
        let local = [userName, email ?? ""].map { String($0.prefix { $0 != "@" }) }
        let parts = (organization ?? "").split(separator: " ").map(String.init)
        words = Set(
            ([
                "Lanyard", givenName, familyName, givenName + familyName, familyName + givenName, userName, email ?? "",
                organization ?? "",
            ] + local + parts).map(Self.letters)
        ).subtracting([""])
    }

    package init(_ person: Person, in transaction: some Transaction) throws {
        self.init(
            givenName: person.givenName, familyName: person.familyName, userName: person.userName, email: person.email,
            organization: try person.organizationID.flatMap { try Organization.find($0, in: transaction)?.name })
    }

    /// Whether the password is one of the words when everything but letters is ignored.
    func isMeant(by password: String) -> Bool { words.contains(Self.letters(password)) }

    private static func letters(_ text: String) -> String {
        text.folding(options: [.caseInsensitive, .diacriticInsensitive, .widthInsensitive], locale: nil)
            .filter(\.isLetter)
    }
}
