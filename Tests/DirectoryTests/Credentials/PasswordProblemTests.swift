@testable import Directory
import Fixtures
import Foundation
import Testing

@Suite struct PasswordProblemTests {
    private let owner = PasswordOwner(
        givenName: "José", familyName: "Kim", userName: "jkim2@maple.example", email: "pepe.kim@maple.example",
        organization: "Maple District")

    private func problem(_ password: String, _ policy: PasswordPolicy = .standard) -> PasswordProblem? {
        policy.problem(with: password, of: owner)
    }

    @Test("passwords that everybody tries first are refused")
    func common() {
        for password in [
            "password1", "qwerty123", "Passw0rd", "PASSWORD1", "iloveyou1", "1q2w3e4r", "sunshine1", "letmein1",
            "Dragon2026!", "2026monkey", "...Welcome123",
        ] {
            #expect(problem(password) == .common, "\(password)")
        }
    }

    @Test("names that belong to the person, the organization or Lanyard are refused")
    func personal() {
        for password in [
            "kim12345", "Lanyard1", "JOSE2011", "josé-2011", "KimJosé1", "josekim12", "jkim2222", "Pepe.Kim1",
            "maple2026", "district99", "Maple-District-1", "1jkim2@maple.example",
        ] {
            #expect(problem(password) == .personal, "\(password)")
        }
    }

    @Test("passwords that repeat themselves or count are refused")
    func repetitive() {
        for password in [
            "aaaaaaa1", "a1a1a1a1", "12345678a", "abcdefg1", "87654321z", "xy7xy7xy7", "aaaabbbb11112222", "あああああああ1",
        ] {
            #expect(problem(password) == .repetitive, "\(password)")
        }
    }

    @Test("others are taken, and what has no form has no other problem")
    func fine() {
        for password in [
            "Corr3ct horse", "kim likes 12 pears", "tr0ub4dor&3", "maple tree 77", "größe123", "大阪城は五重八階8",
            "abcd-mnpq-2345",
        ] {
            #expect(problem(password) == nil, "\(password)")
        }
        for password in ["", "password", "12345678", "abc1"] { #expect(problem(password) == .doesNotFit) }
        // A passcode only has to have the right number of digits.
        #expect(problem("1111", .fourDigits) == nil)
        #expect(problem("123456", .sixDigits) == nil)
    }

    @Test("fewer than one good password in 10 000 is taken for a common one")
    func falsePositives() {
        let fixed = FixedSurroundings()
        let wrong = (0..<20_000).count { _ in
            CommonPasswords.contain(PasswordPolicy.standard.makeTemporaryPassword(from: fixed.surroundings))
        }
        #expect(wrong <= 1)
    }
}
