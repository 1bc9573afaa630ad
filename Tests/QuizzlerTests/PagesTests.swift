import Foundation
import Hummingbird
import Testing
@testable import quizzler

@Suite struct PagesTests {
    private static let classPath = TestBrowser.organizationPath + "/classes/CL%3A1"

    @Test("a name with markup is shown as text")
    func escaping() async throws {
        try await TestBrowser.with { browser in
            try await browser.connect()
            for path in [TestBrowser.organizationPath, Self.classPath] {
                let page = try await browser.get(path).body
                #expect(page.contains("&lt;script&gt;alert(1)&lt;/script&gt;"))
                #expect(!page.contains("<script"))
            }
        }
    }

    @Test("a pupil without e-mail and a teacher without grade have no row for it")
    func noEmptyRow() async throws {
        try await TestBrowser.with { browser in
            try await browser.connect()
            let page = try await browser.get(Self.classPath).body
            #expect(page.contains("1 teacher") && page.contains("2 pupils"))
            #expect(page.matches(of: #/class="quiet email"/#).count == 2)
            #expect(page.matches(of: #/class="grade"/#).count == 1)
            #expect(page.contains("Grade 7"))
        }
    }

    @Test("pages allow no scripts and no frames, and are not cached")
    func headers() async throws {
        try await TestBrowser.with { browser in
            for path in ["/", "/nothing"] {
                let headers = try await browser.get(path).headers
                #expect(headers[.contentSecurityPolicy]?.hasPrefix("default-src 'none'; style-src 'self';") == true)
                #expect(headers[.cacheControl] == "no-store")
            }
            #expect(try await browser.get("/nothing").status == .notFound)
            #expect(try await browser.get("/nothing").body.contains("There is nothing here"))
            #expect(try await browser.get("/healthz").body == "ok")
        }
    }

    @Test("many classes come in pages, in the order of their numbers, of one school if asked")
    func paging() throws {
        var roster = Roster(locationNames: ["1": "North", "2": "South"])
        for number in 1...100 {
            roster.classes["c\(number)"] = SchoolClass(
                name: "Class \(number)", locationID: number > 90 ? "2" : "1", teacherIDs: [], pupilIDs: [])
        }
        let connection = Connection(
            organizationID: "o", organizationName: "O", id: UUID(), refreshToken: "r", connectedAt: .distantPast,
            visitorKey: nil,
            roster: roster)
        func page(_ page: Int, of locationID: String? = nil) -> OrganizationPage {
            OrganizationPage(
                connection, progress: nil, locationID: locationID, page: page, now: .distantPast, csrfToken: "")
        }
        #expect(page(1).classes.map(\.className).prefix(3) == ["Class 1", "Class 2", "Class 3"])
        #expect(page(1).previousLink == nil && page(1).nextLink == "/organizations/o?page=2")
        #expect(page(3).classes.map(\.className) == ["Class 97", "Class 98", "Class 99", "Class 100"])
        #expect(page(3).nextLink == nil)
        for beyond in [-5, 0, Int.min] { #expect(page(beyond).classes.count == 48 && page(beyond).nextLink != nil) }
        for beyond in [4, 99, Int.max] { #expect(page(beyond).classes.count == 4 && page(beyond).nextLink == nil) }
        #expect(page(1, of: "2").classes.count == 10)
        #expect(page(2, of: "1").previousLink == "/organizations/o?location=1&page=1")
        #expect(page(1, of: "nowhere").isEmpty)
    }

    @Test("a last page that is full is shown for every number beyond it")
    func fullLastPage() {
        var roster = Roster()
        for number in 1...48 {
            roster.classes["c\(number)"] = SchoolClass(name: "Class \(number)", teacherIDs: [], pupilIDs: [])
        }
        let connection = Connection(
            organizationID: "o", organizationName: "O", id: UUID(), refreshToken: "r", connectedAt: .distantPast,
            visitorKey: nil,
            roster: roster)
        let page = OrganizationPage(
            connection, progress: nil, locationID: nil, page: 2, now: .distantPast, csrfToken: "")
        #expect(page.classes.count == 48 && page.previousLink == nil && page.nextLink == nil)
    }

    @Test(
        "names are written in the order of their language",
        arguments: [
            ("Nadia", "Okoye", "Nadia Okoye"), ("太郎", "山田", "山田太郎"), ("민준", "김", "김민준"),
            ("ソフィア", "ガルシア", "ソフィア ガルシア"), (nil, "王", "王"), ("Mei", "王", "Mei 王"), (nil, nil, "No name"),
        ] as [(String?, String?, String)])
    func names(givenName: String?, familyName: String?, fullName: String) {
        #expect(Person(givenName: givenName, familyName: familyName).fullName == fullName)
    }
}
