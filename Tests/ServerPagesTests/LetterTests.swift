import Foundation
import Testing

@testable import ServerPages

@Suite struct LetterTests {
    static let occasions: [Letter.Occasion] =
        [
            .signUpCode("042137"), .resetCode("042137"), .changeCode("042137"), .accountExists,
            .managedAccount(organization: "Maple District"), .addressTaken, .emailChanged(to: "new@home.example"),
            .passwordReplaced, .passwordChanged, .passwordIssued, .temporaryPassword(temporary(isReplacement: false)),
            .temporaryPassword(temporary(isReplacement: true)), .factorsChanged, .factorsReset,
            .consentEnds(
                Letter.EndingConsent(
                    organization: "Maple District", app: "Quizzler", team: "Quizzler Inc.",
                    lastDay: Date(timeIntervalSince1970: 1_817_078_400), scopes: [.users, .classes], people: 1_982,
                    classes: 1)),
            .importHeld(
                Letter.HeldImport(organization: "Maple District", schools: nil, coming: 1_200, changing: 3, leaving: 40)
            ),
            .importHeld(
                Letter.HeldImport(
                    organization: "Maple District", schools: "Maple High", coming: 1_200, changing: 3, leaving: 40)),
        ]
        + Letter.PickedUp.Outcome.allCases.map {
            .pickedUp(Letter.PickedUp(organization: "Maple District", outcome: $0, errors: 7, coming: 1_200))
        }

    private static func temporary(isReplacement: Bool) -> Letter.TemporaryPassword {
        Letter.TemporaryPassword(
            organization: "Maple District", address: "id.school.example", userName: "nadia.berg@maple.example",
            password: "abcd-efgh-2345", lastDay: Date(timeIntervalSince1970: 1_817_078_400),
            isReplacement: isReplacement)
    }

    @Test("a mail names the server, and has no placeholder left and no link", arguments: Language.allCases)
    func complete(_ language: Language) throws {
        let pages = try Pages()
        for occasion in Self.occasions {
            let letter = pages.write(Letter(occasion, host: "id.school.example", minutes: 15), in: language)
            #expect(!letter.subject.isEmpty && !letter.subject.contains("\n"))
            #expect(letter.text.contains("id.school.example"))
            for leftover in ["{", "}", "http", "&#", "\u{2068}"] {
                #expect(!letter.text.contains(leftover) && !letter.subject.contains(leftover), "\(letter.text)")
            }
            // What happened, and what to do about it; a code or a password stands alone between them.
            let hasSecret = ["042137", "abcd-efgh-2345"].contains { letter.text.contains($0) }
            #expect(letter.text.split(separator: "\n\n").count == (hasSecret ? 4 : 2))
            #expect(letter.subject.contains("id.school.example"), "pages 3.13")
        }
    }

    @Test(
        "a code stands in the subject, and once in the mail, on a line of its own (pages 3.13)",
        arguments: Language.allCases)
    func code(_ language: Language) throws {
        let pages = try Pages()
        for occasion in Self.occasions.prefix(3) {
            let letter = pages.write(Letter(occasion, host: "id.school.example", minutes: 15), in: language)
            #expect(letter.subject.contains("042137"))
            #expect(letter.text.split(separator: "\n").filter { $0.contains("042137") } == ["042137"])
            #expect(letter.text.contains("15"))
        }
    }

    @Test(
        "a mail with a temporary password says where to type it, with which name, and until when; the subject has none",
        arguments: Language.allCases)
    func temporaryPassword(_ language: Language) throws {
        let pages = try Pages()
        func letter(isReplacement: Bool) -> (subject: String, text: String) {
            pages.write(
                Letter(
                    .temporaryPassword(Self.temporary(isReplacement: isReplacement)), host: "id.school.example",
                    minutes: 0), in: language)
        }
        let day =
            switch language {
            case .english: "1 August 2027"
            case .japanese: "2027年8月1日"
            case .korean: "2027년 8월 1일"
            }
        for letter in [letter(isReplacement: false), letter(isReplacement: true)] {
            #expect(!letter.subject.contains("abcd"))
            let lines = letter.text.split(separator: "\n")
            for end in [": id.school.example", ": nadia.berg@maple.example", ": abcd-efgh-2345"] {
                #expect(lines.filter { $0.hasSuffix(end) }.count == 1, "\(letter.text)")
            }
            for part in ["Maple District", day] { #expect(letter.text.contains(part), "\(letter.text)") }
        }
        // Only whoever had a password is told that it is void.
        #expect(letter(isReplacement: false).text != letter(isReplacement: true).text)
    }

    @Test("a mail about a consent says what is shared, with whom and until when")
    func endingConsent() throws {
        let pages = try Pages()
        func text(_ language: Language, _ scopes: Set<ConsentScope>) -> String {
            let consent = Letter.EndingConsent(
                organization: "Maple District", app: "Quizzler", team: "Quizzler Inc.",
                lastDay: Date(timeIntervalSince1970: 1_817_078_400), scopes: scopes, people: 1_982, classes: 1)
            let letter = pages.write(Letter(.consentEnds(consent), host: "id.school.example", minutes: 0), in: language)
            return letter.subject + "\n" + letter.text
        }
        #expect(text(.english, [.users, .classes]).contains("about 1,982 people and 1 class."))
        #expect(text(.english, [.users]).contains("about 1,982 people."))
        #expect(text(.english, [.classes]).contains("about 1 class."))
        #expect(text(.english, [.users]).contains("ends on 1 August 2027"))
        #expect(text(.japanese, [.users, .classes]).contains("2027年8月1日"))
        #expect(text(.korean, [.users, .classes]).contains("2027년 8월 1일"))
        for language in Language.allCases {
            for part in ["Maple District", "Quizzler Inc."] {
                #expect(text(language, [.users]).contains(part), "\(language)")
            }
        }
    }

    @Test(
        "a mail about a held import names the school whose files they are, and the organization",
        arguments: Language.allCases)
    func heldImport(_ language: Language) throws {
        let pages = try Pages()
        func letter(_ schools: String?) -> (subject: String, text: String) {
            let held = Letter.HeldImport(
                organization: "Maple District", schools: schools, coming: 1, changing: 2, leaving: 3)
            return pages.write(Letter(.importHeld(held), host: "id.school.example", minutes: 0), in: language)
        }
        #expect(letter(nil).subject.contains("Maple District") && letter(nil).text.contains("Maple District"))
        #expect(letter("Oak High").subject.contains("Oak High"))
        for part in ["Oak High", "Maple District"] { #expect(letter("Oak High").text.contains(part)) }
    }

    @Test("names in a mail are text, not markup and not placeholders")
    func names() throws {
        let pages = try Pages()
        let letter = pages.write(
            Letter(.managedAccount(organization: "A & <B> {host}"), host: "id.school.example", minutes: 15),
            in: .english)
        #expect(letter.text.contains("Your account belongs to A & <B> {host};"))
    }
}
