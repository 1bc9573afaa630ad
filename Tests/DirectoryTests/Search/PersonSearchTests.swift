import Fixtures
import Storage
import TestSupport
import Testing

@testable import Directory

@Suite struct PersonSearchTests {
    private static let people: [(given: String, middle: String?, family: String)] = [
        ("Ana", "María", "Núñez Vega"), ("Zoë", nil, "Weiß"), ("대한", nil, "김"), ("ﾀﾛｳ", nil, "ヤマダ"), ("大輔", nil, "田中"),
        ("Олена", nil, "Ковальчук"), ("Ａｎｎａ", nil, "Lee"), ("=1+1", nil, "Formula"),
    ]

    @Test(
        "people are found by words in any order, whatever their case, accents and width",
        arguments: [
            ("nunez", "Ana"), ("NÚÑEZ ana", "Ana"), ("vega maria", "Ana"), ("Nu\u{301}n\u{303}ez", "Ana"),
            ("zoe", "Zoë"),
            ("WEISS", "Zoë"), ("weiß", "Zoë"), ("김대한", "대한"), ("대한", "대한"),
            // In the decomposed form, as macOS writes it.
            ("\u{1103}\u{1162}\u{1112}\u{1161}\u{11AB}", "대한"), ("タロウ", "ﾀﾛｳ"), ("ﾔﾏﾀﾞ", "ﾀﾛｳ"), ("田中", "大輔"),
            ("田中大輔", "大輔"), ("大輔 田中", "大輔"), ("ОЛЕНА", "Олена"), ("anna", "Ａｎｎａ"), ("ＬＥＥ", "Ａｎｎａ"),
            ("=1+1", "=1+1"), ("P-7", "=1+1"), ("p7@maple", "=1+1"),
        ])
    func finds(_ text: String, _ givenName: String) async throws {
        #expect(try await Self.names(text) == [givenName])
    }

    @Test(
        "words of two people find nobody, and signs of SQL and of patterns mean nothing",
        arguments: ["ana lee", "%", "_", "' OR 1=1", "*", ".", "\\", "Núñezz", String(repeating: "漢", count: 300)])
    func findsNobody(_ text: String) async throws {
        // The dot is in each user name.
        #expect(try await Self.names(text) == (text == "." ? Self.people.map(\.given) : []))
    }

    @Test("a number finds the person who has it, with or without PE-")
    func numbers() async throws {
        #expect(try await Self.names("PE-2") == ["Zoë"])
        #expect(try await Self.names("2").first == "Zoë")
    }

    private static func names(_ text: String) async throws -> [String] {
        try await TestDatabase.sqlite.with { database in
            let school = try await School.insert(in: database)
            let now = school.fixed.now
            return try await database.write { transaction in
                for (index, person) in people.enumerated() {
                    _ = try Person.insert(
                        in: school.organization.id, sourceID: index == 7 ? "P-7" : nil, givenName: person.given,
                        middleName: person.middle, familyName: person.family, userName: "p\(index)@maple.example",
                        at: now, in: transaction)
                }
                return try Person.page(
                    of: school.organization.id, matching: PersonFilter(text: text), limit: 100, in: transaction
                ).map(\.givenName)
            }
        }
    }
}
