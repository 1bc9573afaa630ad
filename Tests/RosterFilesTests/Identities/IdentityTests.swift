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
        "a person id that passes to another child is held, if it is only one (mission D3)",
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
                        formerName: "Noor Haddad", name: "Emil Weber", agreeing: [],
                        differing: ["person_number", "sis_username"])
                ])
            #expect(try await district.dump() == before)
        }
    }

    @Test("only an approval of its own lets an id pass to another name (mission D3)", arguments: TestDatabase.available)
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
            let applied = try await district.apply(Self.reused, identities: held.planID)
            #expect(applied.outcome == .applied)
            #expect(try await district.person("S-1001")?.id == noor?.id)
            let details = try await district.select(
                "SELECT detail FROM audit_entry WHERE outcome = 'done' ORDER BY sequence DESC LIMIT 1")
            #expect(details[0].hasSuffix("; 1 approved as the same people under other names"))
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

    @Test(
        "ids shifted by a row are held, also where brothers and sisters hide it (mission D3)",
        arguments: TestDatabase.available)
    func shifted(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let district = try await District(in: database)
            let given = ["Ada", "Bela", "Cyril", "Dora", "Emil", "Fritz", "Gustav", "Helena", "Ivo", "Judith"]
            func files(shiftedBy shift: Int) -> RosterTexts {
                (0..<10).reduce(.example) { files, place in
                    let who = (place + shift) % 10
                    return files.adding(
                        "S-90\(place),LOC-10,\(given[who]),Nowak,,77\(who),2,,,,", to: .students)
                }
            }
            #expect(try await district.apply(files(shiftedBy: 0)).outcome == .applied)
            let held = try await district.apply(files(shiftedBy: 1))
            #expect(
                held.held == [
                    HeldReason(rule: .renamed, type: nil, count: 10, existing: 17, percentMax: nil, countMax: 3)
                ])
            #expect(held.identities.renamed == 10)
            #expect(held.identities.listed.allSatisfy { $0.doubt == .renamed && $0.differing == ["person_number"] })
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
        "one email address at several people is a warning with both lines (mission D3)",
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
