import Directory
import Storage
import TestSupport
import Testing

@testable import RosterFiles

@Suite struct IdentityTests {
    /// S-1001 has left, and the school gives the id to a newcomer.
    static let reused = RosterTexts.example
        .replacing("Noor,Haddad,,40017,1,,nhaddad,4,", with: "Emil,Weber,,40999,1,,eweber,4,", in: .students)

    @Test(
        "a person id that passes to another child is held, if it is only one",
        arguments: TestDatabase.available)
    func reusedID(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let district = try await District(in: database)
            try await district.apply(.example)
            let before = try await district.dump()
            let held = try await district.apply(Self.reused)
            #expect(held.outcome == .held)
            #expect(
                held.held == [
                    HeldReason(rule: .replaced, type: nil, count: 1, existing: 7, percentMax: nil, countMax: 0)
                ])
            #expect(
                held.identities.listed == [
                    IdentityChange(
                        doubt: .anotherPerson, file: "students.csv", line: 2, personID: "S-1001",
                        formerName: "Noor Haddad", name: "Emil Weber", isAnothersName: false,
                        agreeing: [], differing: ["person_number", "sis_username"])
                ])
            #expect(try await district.dump() == before)
        }
    }

    /// A changed row of Noor Haddad (40017, nhaddad), and the doubt that it raises.
    @Test(
        "a first name that both children have says nothing against the rest of the row",
        arguments: [
            ("Noor,Weber,,40999,1,,eweber,4,", IdentityChange.Doubt?.some(.anotherPerson)),
            // With a new family name but the same number it is the same person.
            ("Noor,Weber,,40017,1,,nweber,4,", nil), ("Noor,Weber,,,1,,nweber,4,", .renamed),
            ("Noor,Weber,,,1,,,4,", nil),
        ])
    func sameFirstName(row: String, doubt: IdentityChange.Doubt?) async throws {
        try await TestDatabase.sqlite.with { database in
            let district = try await District(in: database)
            try await district.apply(.example)
            let changed = RosterTexts.example.replacing("Noor,Haddad,,40017,1,,nhaddad,4,", with: row, in: .students)
            let report = try await district.apply(changed)
            #expect(report.identities.listed.map(\.doubt) == [doubt].compactMap { $0 })
            #expect(report.held.map(\.rule) == (doubt == .anotherPerson ? [.replaced] : []))
        }
    }

    @Test("only an approval of its own lets an id pass to another name", arguments: TestDatabase.available)
    func ownApproval(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let district = try await District(in: database)
            try await district.apply(.example)
            let noor = try await district.person("S-1001")
            let held = try await district.apply(Self.reused)
            #expect(try await district.apply(Self.reused, approval: held.planID).held.map(\.rule) == [.replaced])
            #expect(
                try await district.apply(Self.reused, identities: "0123").held.map(\.rule)
                    == [.replaced, .staleApproval])
            #expect(
                try await district.apply(Self.reused, approval: "0123", identities: "0123").held.map(\.rule)
                    == [.replaced, .staleApproval])
            let applied = try await district.apply(Self.reused, identities: held.planID)
            #expect(applied.outcome == .applied)
            #expect(try await district.person("S-1001")?.id == noor?.id)
            let details = try await district.select(
                "SELECT detail FROM audit_entry WHERE outcome = 'done' ORDER BY sequence DESC LIMIT 1")
            #expect(details[0].hasSuffix("; 1 person ids kept although the name looks like another person's"))
        }
    }

    @Test(
        "an organization can let some ids pass without approval, and be warned of none",
        arguments: TestDatabase.available)
    func limit(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let district = try await District(in: database)
            try await district.apply(.example)
            let id = district.organization.id
            try await database.write {
                try ImportThresholds(replacedMax: 1, renamedPercent: 0).put(for: id, in: $0)
            }
            #expect(try await database.read { try ImportThresholds.find(for: id, in: $0).replacedMax } == 1)
            #expect(try await district.apply(Self.reused).outcome == .applied)
        }
    }

    /// Ten of one family, with ids, numbers and first names of their own.
    private static func family(_ given: [String], numbers: Int? = 0) -> RosterTexts {
        given.enumerated().reduce(.example) { files, row in
            let number = numbers.map { "\(770 + (row.offset + $0) % 10)" } ?? ""
            return files.adding("S-90\(row.offset),LOC-10,\(row.element),Nowak,,\(number),2,,,,", to: .students)
        }
    }

    private static let children = [
        "Ada", "Bela", "Cyril", "Dora", "Emil", "Fritz", "Gustav", "Helena", "Ivo", "Judith",
    ]

    @Test(
        "ids shifted by a row are held, also where all are of one family",
        arguments: TestDatabase.available)
    func shifted(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let district = try await District(in: database)
            #expect(try await district.apply(Self.family(Self.children)).outcome == .applied)
            let shifted = Array(Self.children[1...]) + Self.children[..<1]
            let held = try await district.apply(Self.family(shifted, numbers: 1))
            #expect(
                held.held == [
                    HeldReason(rule: .replaced, type: nil, count: 10, existing: 17, percentMax: nil, countMax: 0),
                    HeldReason(rule: .renamed, type: nil, count: 10, existing: 17, percentMax: nil, countMax: 3),
                ])
            #expect(held.identities.listed.allSatisfy { $0.differing == ["person_number"] })
        }
    }

    @Test(
        "many first names that nothing explains are held, a few are listed",
        arguments: TestDatabase.available)
    func renamed(_ kind: TestDatabase) async throws {
        let others = ["Kurt", "Lotte", "Moritz", "Olga", "Peter", "Quirin", "Rosa", "Simon", "Tilda", "Ulf"]
        for numbers in [nil, 1] {
            try await kind.with { database in
                let district = try await District(in: database)
                try await district.apply(Self.family(Self.children, numbers: numbers.map { _ in 0 }))
                let held = try await district.apply(Self.family(others, numbers: numbers))
                #expect(
                    held.held == [
                        HeldReason(rule: .renamed, type: nil, count: 10, existing: 17, percentMax: nil, countMax: 3)
                    ])
                #expect(held.identities.renamed == 10)
                let few = others[..<3] + Self.children[3...]
                let applied = try await district.apply(Self.family(Array(few), numbers: numbers.map { _ in 0 }))
                #expect(applied.outcome == .applied)
                // The child's number has not changed, which says that the new name belongs to the same child.
                #expect(applied.identities.renamed == (numbers == nil ? 3 : 0))
            }
        }
    }

    @Test(
        "two who exchange their names are held, whatever else is the same",
        arguments: TestDatabase.available,
        [
            // Siblings without other data, once with names that are nearly alike.
            ["S-901,LOC-10,Ada,Nowak,,,2,,,,", "S-902,LOC-10,Bela,Nowak,,,2,,,,"],
            ["S-901,LOC-10,Jana,Nowak,,,2,,,,", "S-902,LOC-10,Dana,Nowak,,,2,,,,"],
            // Only the column of family names was sorted, and not the numbers.
            ["S-901,LOC-10,Ana,Nowak,,7,2,,,,", "S-902,LOC-10,Ana,Weber,,8,2,,,,"],
        ])
    func exchanged(_ kind: TestDatabase, _ rows: [String]) async throws {
        try await kind.with { database in
            let district = try await District(in: database)
            try await district.apply(RosterTexts.example.adding(rows[0], rows[1], to: .students))
            let before = try await district.dump()
            let parts = rows.map { $0.split(separator: ",", omittingEmptySubsequences: false).map(String.init) }
            func row(_ place: Int, namedAs other: Int) -> String {
                (parts[place][..<2] + parts[other][2..<4] + parts[place][4...]).joined(separator: ",")
            }
            // In the second set, the rows have moved up and the last is gone.
            for (rows, ids) in [
                ([row(0, namedAs: 1), row(1, namedAs: 0)], ["S-901", "S-902"]), ([row(0, namedAs: 1)], ["S-901"]),
            ] {
                let files = rows.reduce(RosterTexts.example) { $0.adding($1, to: .students) }
                let held = try await district.apply(files)
                #expect(held.held.map(\.rule) == [.replaced])
                #expect(held.identities.listed.map(\.personID) == ids)
                #expect(held.identities.listed.allSatisfy { $0.doubt == .anotherPerson })
                // Nothing else in the report says why they are held.
                #expect(held.identities.listed.allSatisfy { $0.isAnothersName })
                #expect(try await district.dump() == before)
            }
        }
    }

    @Test("who marries, is called otherwise or is spelt anew stays the same person", arguments: TestDatabase.available)
    func samePeople(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let district = try await District(in: database)
            try await district.apply(.example)
            let files = RosterTexts.example
                .replacing("Noor,Haddad", with: "Noor,Weber", in: .students)
                .replacing("\"Ana María\",Ruiz", with: "Ana,Ruíz", in: .students)
                // Another name throughout, and the same number and address.
                .replacing("Ines,,Okafor", with: "Samuel,,Weber", in: .staff)
            let report = try await district.apply(files)
            #expect(report.outcome == .applied)
            #expect(report.identities.anotherPerson == 0)
            #expect(report.identities.listed.map(\.personID) == ["T-0007"])
            #expect(report.identities.listed.map(\.agreeing) == [["email_address", "person_number", "sis_username"]])
        }
    }

    @Test(
        "one email address at several people is a warning with both lines",
        arguments: TestDatabase.available)
    func sharedAddress(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let district = try await District(in: database)
            let files = RosterTexts.example.replacing("wen.vdb@birch", with: "Tomasz.Lis@birch", in: .students)
                .replacing("paul.meyer@birch", with: "tomasz.lis@birch", in: .staff)
            let report = try await district.apply(files)
            #expect(report.outcome == .applied)
            #expect(
                report.found == [
                    "students.csv:5 email_address shared_email_address",
                    "staff.csv:3 email_address shared_email_address",
                ])
            #expect(report.defects[0].message == "Line 4 of students.csv has the same email address.")
        }
    }
}
