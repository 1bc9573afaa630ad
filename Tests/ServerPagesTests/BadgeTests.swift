import Testing

@testable import ServerPages

@Suite struct BadgeTests {
    @Test(
        "initials are two capitals, or one letter where a script has none",
        arguments: [
            ("Quizzler", "Q"), ("Maple District", "MD"), ("ana maría ruiz", "AR"), ("Élan École", "ÉÉ"),
            ("楓 学区", "楓"), ("단풍 교육구", "단"), ("مدرسة النور", "م"), ("3D Lab", "3"), ("  ", "?"), ("", "?"), ("!!!", "?"),
            ("\u{202E}quiz", "Q"),
        ])
    func drawsInitials(name: String, initials: String) {
        #expect(Badge(name: name, id: "1").initials == initials)
    }

    @Test("a letter under hundreds of accents is drawn with a few")
    func limitsAccents() {
        let name = "a" + String(repeating: "\u{301}", count: 300)
        #expect(Badge(name: name, id: "1").initials.unicodeScalars.count <= 4)
    }

    @Test("the colour follows from the id alone")
    func coloursByID() throws {
        let pages = try Pages()
        func tones(_ name: String, _ id: String) -> [String] {
            let person = SignedInPerson(name: name, userName: "u", role: .staff, id: id)
            let html = pages.render(
                AccountPage(
                    person: person, account: .personal, email: nil, apps: [], sessions: [], now: Samples.now,
                    changePasswordPath: nil))
            return html.matches(of: /tone-\d/).map { String($0.0) }
        }
        #expect(tones("Ana", "1") == tones("Bea", "1"))
        #expect(Set((1...100).flatMap { tones("Ana", String($0)) }) == Set((0...7).map { "tone-\($0)" }))
    }
}
