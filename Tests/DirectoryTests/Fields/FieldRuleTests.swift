import Directory
import Foundation
import Testing

@Suite struct FieldRuleTests {
    @Test("a name is kept trimmed and in composed form")
    func normalizes() throws {
        let name = try FieldRule.name.check("  Ame\u{301}lie \n", field: "first name")
        #expect(Array(name.unicodeScalars) == Array("Am\u{e9}lie".unicodeScalars))
    }

    @Test("a name of 1024 bytes is taken, one of 1025 is not", arguments: ["x", "é"])
    func lengthInBytes(_ letter: String) throws {
        let longest = String(repeating: letter, count: 1_024 / letter.utf8.count)
        let taken = try FieldRule.name.check(longest, field: "first name")
        #expect(taken == longest)
        #expect(throws: DirectoryError.invalidField(field: "first name", reason: "is longer than 1024 bytes")) {
            try FieldRule.name.check(longest + "x", field: "first name")
        }
    }

    @Test("a text that is far too long is refused as it came: composing it would take seconds")
    func farTooLong() {
        let marks = String(repeating: "\u{301}", count: 15_000) + String(repeating: "\u{323}", count: 15_000)
        #expect(throws: DirectoryError.invalidField(field: "user name", reason: "is longer than 128 bytes")) {
            try FieldRule.userName.check("a" + marks, field: "user name")
        }
    }

    @Test("a user name may not hold what cannot be seen", arguments: ["\u{202e}", "\u{200d}", "\u{feff}"])
    func invisible(_ character: String) {
        let reason = "may not hold invisible characters"
        #expect(throws: DirectoryError.invalidField(field: "user name", reason: reason)) {
            try FieldRule.userName.check("a\(character)b@c.example", field: "user name")
        }
    }

    @Test(
        "no name may hold what cannot be seen or turns the line around",
        arguments: [
            "\u{202e}", "\u{2066}", "\u{200b}", "\u{200c}", "\u{200e}", "\u{feff}", "\u{ad}", "\u{2028}", "\u{3164}",
        ])
    func invisibleInNames(_ character: String) {
        let reason = "may not hold invisible characters"
        for rule in [FieldRule.name, .optionalName, .room, .short] {
            #expect(throws: DirectoryError.invalidField(field: "name", reason: reason)) {
                try rule.check("An\(character)a", field: "name")
            }
        }
        // A name that was accepted by an earlier rule stays valid as long as it is not changed.
        #expect(throws: Never.self) {
            try FieldRule.name.check("An\(character)a", unlessStill: "An\(character)a", field: "name")
        }
    }

    @Test("no character that Unicode calls invisible is taken, whichever script it is of")
    func everyInvisibleCharacter() {
        let invisible = (0...0x10FFFF).lazy.compactMap(Unicode.Scalar.init).filter {
            let its = $0.properties
            return (its.isDefaultIgnorableCodePoint || its.isBidiControl) && !its.isVariationSelector
        }
        var count = 0
        for character in invisible {
            count += 1
            #expect(throws: DirectoryError.self, "U+\(String(character.value, radix: 16))") {
                try FieldRule.name.check("An\(character)a", field: "name")
            }
        }
        #expect(count > 3_000)
    }

    @Test(
        "joiners and selectors stand where a script needs them",
        arguments: ["می\u{200c}خواهم", "क्\u{200d}ष", "👩\u{200d}🏫", "葛\u{e0100}城", "O’Neil", "ﷲ"])
    func joiners(_ name: String) throws {
        #expect(try FieldRule.name.check(name, field: "name") == name.precomposedStringWithCanonicalMapping)
    }

    @Test("a user name may not end with the root dot of its domain")
    func rootDot() throws {
        #expect(throws: DirectoryError.invalidField(field: "user name", reason: "may not end with a dot")) {
            try FieldRule.userName.check("eve@maple.example.", field: "user name")
        }
        #expect(try FieldRule.userName.check("eve.j.", field: "user name") == "eve.j.")
    }

    @Test(
        "control characters are refused in the middle of every field",
        arguments: ["\0", "\t", "\n", "\u{7f}", "\u{85}", "\u{9b}"])
    func controlCharacters(_ character: String) {
        for rule in [FieldRule.name, .optionalName, .room, .short, .sourceID, .email, .userName, .domainName] {
            #expect(throws: DirectoryError.self) { try rule.check("a\(character)b@c.example", field: "field") }
        }
        #expect(throws: DirectoryError.invalidField(field: "room", reason: "may not hold control characters")) {
            try FieldRule.room.check("a\(character)b", field: "room")
        }
    }

    @Test("an empty name is missing, a blank optional one is left out")
    func blank() throws {
        #expect(throws: DirectoryError.invalidField(field: "last name", reason: "is missing")) {
            try FieldRule.name.check(" \u{3000} ", field: "last name")
        }
        let absent = try [nil, "", "  ", "\u{3000}"].map {
            try FieldRule.optionalName.checkIfPresent($0, field: "middle name")
        }
        #expect(absent == [nil, nil, nil, nil])
    }

    @Test(
        "identifiers of the source are letters and digits of any script, and what stands between them",
        arguments: [
            "A-1", "0", "STUDENT-2026-00017", "marianuñez", "AG Schach", "a_b.c", "ana@birch.example", "1/2", "قسم-١",
        ])
    func sourceID(_ text: String) throws {
        let taken = try FieldRule.sourceID.check(text, field: "person id")
        #expect(taken == text)
    }

    @Test(
        "other identifiers of the source are refused",
        arguments: [
            "", "a:b", "a,b", "a\\b", "a\u{a0}b", "a\u{200b}b", "a\u{202e}b", "\u{301}a", "\u{3164}", "a=b", "a'b",
            String(repeating: "1", count: 257),
        ])
    func notSourceID(_ text: String) {
        #expect(throws: DirectoryError.self) { try FieldRule.sourceID.check(text, field: "person id") }
    }

    @Test(
        "plausible e-mail addresses are taken",
        arguments: ["a@b.example", "nadia.okoye+x@mail.maple.example", "大輔@学校.example"])
    func email(_ text: String) throws {
        let taken = try FieldRule.email.check(text, field: "e-mail address")
        #expect(taken == text)
    }

    @Test(
        "what is no e-mail address is refused",
        arguments: [
            "a", "@b.example", "a@", "a@b", "a@b@c.example", "a b@c.example",
            String(repeating: "x", count: 250) + "@c.example",
        ])
    func notEmail(_ text: String) {
        #expect(throws: DirectoryError.self) { try FieldRule.email.check(text, field: "e-mail address") }
    }

    @Test("domain names are taken", arguments: ["maple.example", "a-1.maple.example", "xn--bcher-kva.example"])
    func domainName(_ text: String) throws {
        let taken = try FieldRule.domainName.check(text, field: "domain")
        #expect(taken == text)
    }

    @Test(
        "what is no domain name is refused",
        arguments: [
            "", "maple", "maple..example", ".example", "maple.example.", "-a.example", "a-.example", "a_b.example",
            "bücher.example",
            String(repeating: "a", count: 64) + ".example", String(repeating: "abc.", count: 63) + "example",
        ])
    func notDomainName(_ text: String) {
        #expect(throws: DirectoryError.self) { try FieldRule.domainName.check(text, field: "domain") }
    }
}
