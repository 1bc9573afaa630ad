import Administration
import Foundation
import Testing

@testable import ConsolePages
@testable import ServerPages

/// How the console speaks of what was done.
@Suite struct ActivityWordsTests {
    @Test(
        "times are written as each language does, and name their zone",
        arguments: [
            (Language.english, "1 September 2026, 08:05:09\u{A0}UTC"),
            (Language.japanese, "2026年9月1日 08:05:09\u{A0}UTC"), (Language.korean, "2026년 9월 1일 08:05:09\u{A0}UTC"),
        ])
    func times(_ language: Language, _ expected: String) throws {
        let catalogue = try Catalogue(language, json: PageBook.console.catalogue(language))
        let time = ActivityWords.time(Date(timeIntervalSince1970: 1_788_249_909))
        #expect(catalogue.text(time, with: [:]) == expected)
    }

    @Test("each change that an organization can take back has words in each language", arguments: Language.allCases)
    func changes(_ language: Language) throws {
        let catalogue = try Catalogue(language, json: PageBook.console.catalogue(language))
        let changes = OperationCatalog.changes.filter { $0.undo == .possible && $0.route.root == .organization }
        #expect(changes.count > 40)
        for change in changes {
            guard case .sentence(let sentence) = ChangeWords.cell(change.name) else {
                Issue.record("\(change.name) has no words")
                continue
            }
            #expect(catalogue.text(sentence, with: [:]) != nil, "\(change.name)")
        }
    }

    @Test("a mail is promised only where the server sends one")
    func mail() {
        #expect(SignInWords.consequences(sendsMail: true).last?.key == "consolePerson.resetFactorsSignsOut")
        #expect(SignInWords.consequences(sendsMail: false).last?.key == "consolePerson.resetFactorsSignsOutWithoutMail")
    }
}
