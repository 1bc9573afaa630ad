import Administration
import Foundation
import Testing

@testable import ConsolePages
@testable import ServerPages

/// What is told of files that were imported.
@Suite struct ImportPageTests {
    private static func html(_ page: some DeskPage) throws -> String {
        let visit = Visit(currentPath: "/manager", csrfToken: "token")
        return try Pages(adding: [.console]).render(page, in: .english, for: visit)
    }

    private static func decode<T: Decodable>(_ type: T.Type, _ json: [String: Any]) throws -> T {
        try JSONDecoder().decode(type, from: try JSONSerialization.data(withJSONObject: json))
    }

    private static func defect(_ severity: String) -> [String: Any] {
        [
            "severity": severity, "code": severity == "error" ? "missing_file" : "byte_order_mark",
            "file": "students.csv", "message": "It is not as it should be.", "remedy": "Change it.",
        ]
    }

    /// The page of a folder that was read.
    /// - Parameter omitted: how many errors were counted beside the one that is kept.
    private static func pickUp(_ outcome: String, _ severity: String, omitting omitted: Int = 0) throws -> String {
        let numbers = ["inFile", "existing", "added", "changed", "deactivated", "reactivated", "unchanged"]
        let none = Dictionary(uniqueKeysWithValues: numbers.map { ($0, 0) })
        let types = ["locations", "students", "staff", "courses", "classes", "memberships"]
        let (one, isError) = (defect(severity), severity == "error")
        let identities: [String: Any] = [
            "anotherPerson": 0, "renamed": 0, "passedOn": 0, "erased": 0, "listed": [String](),
        ]
        let warnings: [[String: Any]] = isError ? [] : [["example": one, "count": 1]]
        let report: [String: Any] = [
            "outcome": outcome, "counts": Dictionary(uniqueKeysWithValues: types.map { ($0, none) }),
            "identities": identities, "held": [String](), "defects": [one], "warnings": warnings,
            "errorCount": isError ? 1 + omitted : 0, "warningCount": isError ? 0 : 1,
        ]
        let folder: [String: Any] = [
            "pickUp": 1, "hour": 2, "account": "lanyard-drop-1", "dueAt": 0, "readAt": 0, "outcome": outcome,
            "errors": isError ? 1 : 0, "version": "v",
        ]
        let shown = try decode(ShowPickUp.Answer.self, ["pickUp": folder, "last": ["report": report]])
        return try html(PickUpPage(desk: HomeTaskTests.desk(Set(Privilege.allCases)), shown: shown))
    }

    @Test("files that were imported with warnings do not look as if they were wrong")
    func warnings() throws {
        let page = try Self.pickUp("applied", "warning")
        #expect(page.contains("Worth knowing") && page.contains("None of this stops the import."))
        #expect(!page.contains("What is wrong with the files"))
    }

    @Test("errors are counted, and the page says if the file to download lacks any")
    func errors() throws {
        let page = try Self.pickUp("defective", "error")
        #expect(page.contains("What is wrong with the files") && page.contains("1 error; 1 shown here."))
        #expect(!page.contains("Worth knowing") && !page.contains("The file to download lacks"))
        let cut = try Self.pickUp("defective", "error", omitting: 1_200)
        #expect(cut.contains("1,201 errors; the first 1 are shown here."))
        #expect(cut.contains("The file to download lacks 1,200 of the errors and warnings"))
    }

    @Test("of an import it is told how long its files are kept, and how it can be had again")
    func kept() throws {
        let desk = HomeTaskTests.desk(Set(Privilege.allCases))
        let summary: [String: Any] = [
            "number": 7, "at": 0, "digest": "d", "filesAreKept": true, "effects": [String: Any](),
        ]
        let applied = try Self.decode(ImportSummary.self, summary)
        let shown = try Self.decode(
            ShowImport.Answer.self,
            ["applied": summary, "at": 0, "canBeTakenBack": true, "touchedLater": [String]()])
        let page = try Self.html(ImportPage(desk: desk, shown: shown, applied: applied, others: []))
        #expect(page.contains("for 90 days, unless a retention rule or a legal hold says otherwise"))
        let question = try Self.html(UndoImportPage(desk: desk, applied: applied))
        #expect(question.contains("upload its files again"))
    }
}
