@testable import Directory
import Testing

@Suite struct UserNameFormatTests {
    private let nadia: [UserNameFormat.Block: String] = [
        .firstName: "Nadia Ife", .firstInitial: "Nadia Ife", .lastName: "Okoye-Smith", .lastInitial: "Okoye-Smith",
        .personID: "P-17", .personNumber: "0042",
        .sisUserName: "N.Okoye", .email: "Nadia@Maple.example",
    ]

    @Test(
        "blocks and free text become a user name",
        arguments: [
            ("{first_name}.{last_name}@maple.example", "nadia.ife.okoye-smith@maple.example"),
            ("{first_initial}{last_initial}{person_number}@Maple.Example", "no0042@maple.example"),
            ("{sis_username}@maple.example", "n.okoye@maple.example"),
            ("{email_address}", "nadia@maple.example"),
            ("x-{person_id}", "x-p-17"),
        ])
    func makes(_ format: String, _ expected: String) throws {
        let name = try UserNameFormat(format).userName { nadia[$0] }
        #expect(name == .success(expected))
    }

    @Test("a person without what the format needs gets no user name", arguments: [nil, "", " ", "...", "😀"])
    func missingBlock(_ middleName: String?) throws {
        let format = try UserNameFormat("{first_name}.{middle_initial}.{person_number}@maple.example")
        let name = format.userName { $0 == .middleName || $0 == .middleInitial ? middleName : nadia[$0] }
        #expect(name == .failure(.init(block: .middleInitial)))
    }

    @Test(
        "names of every script become letters that can be typed anywhere",
        arguments: [
            ("Ana María", "ana.maria"), ("O'Brien", "obrien"), ("Łukasz", "lukasz"), ("Größe", "grosse"),
            ("Ngọc Ánh", "ngoc.anh"),
            ("Юлия", "ulia"), ("大輔", "da.fu"), ("김민준", "gimminjun"), ("Δημήτρης", "demetres"), ("  J. R. R. ", "j.r.r"),
            ("Jean-Luc", "jean-luc"), ("snake_case", "snake.case"), ("😀", ""),
        ])
    func scripts(_ name: String, _ expected: String) {
        #expect(UserNameFormat.simplified(name) == expected)
    }

    @Test("a simplified name holds nothing but lower-case letters, digits, dots and hyphens, in any script")
    func onlySimple() {
        for name in ["محمد", "אברהם", "प्रिया", "ธนพล", "Իրինա", "ნინო", "ⅷ½ﬁ", "a\u{0}b\u{202e}c"] {
            let simple = UserNameFormat.simplified(name)
            #expect(
                simple.utf8.allSatisfy { "abcdefghijklmnopqrstuvwxyz0123456789.-".utf8.contains($0) },
                "\(name): \(simple)")
            #expect(!simple.hasPrefix(".") && !simple.hasSuffix(".") && !simple.contains(".."))
        }
    }

    @Test("a number goes before the domain")
    func numbered() {
        #expect(UserNameFormat.numbered("nadia@maple.example", 2) == "nadia2@maple.example")
        #expect(UserNameFormat.numbered("nadia", 17) == "nadia17")
    }

    @Test(
        "a format that could name nobody is refused",
        arguments: [
            "", "maple", "{first_name", "{}", "{first name}@maple.example", "{FIRST_NAME}", "{first_name} {last_name}",
            "{nickname}@x", "{first_name}@maple@example",
        ])
    func malformed(_ text: String) {
        #expect(throws: DirectoryError.self) { try UserNameFormat(text) }
    }
}
