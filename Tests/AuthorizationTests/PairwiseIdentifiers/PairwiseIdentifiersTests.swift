import Authorization
import Directory
import Fixtures
import Foundation
import Ground
import SeededNumbers
import Storage
import TestSupport
import Testing

@Suite struct PairwiseIdentifiersTests {
    private let quizzler = PairwiseIdentifiers(key: Array(0..<16))
    private let planner = PairwiseIdentifiers(key: Array(1..<17))
    private let school = OrganizationID(rawValue: 7)

    /// Small ids as databases give them, and random ones of every size.
    private var people: [PersonID] {
        var generator = SeededGenerator(seed: 3)
        let random = (0..<3_000).map { _ in
            Int64.random(in: 1...(Int64.max >> Int64.random(in: 0..<62, using: &generator)), using: &generator)
        }
        return ([1, 2, 3, 255, 256, .max] + random).map(PersonID.init)
    }

    @Test("an identifier has the documented shape")
    func shape() {
        for person in people {
            let text = quizzler.text(of: person, in: school)
            #expect(text.wholeMatch(of: #/[0-9]{6}\.[A-Za-z0-9]{40}\.[A-Za-z0-9]{4}/#) != nil, "\(text)")
            #expect(text.utf8.count == PairwiseIdentifiers.length)
        }
    }

    @Test("its middle is the base64 of thirty printable characters, its end of three")
    func inner() throws {
        let parts = quizzler.text(of: PersonID(rawValue: 17), in: school).split(separator: ".").map(String.init)
        for (part, count) in [(parts[1], 30), (parts[2], 3)] {
            let inner = try #require(Data(base64Encoded: part))
            #expect(inner.count == count)
            #expect(inner.allSatisfy { (0x21...0x7e).contains($0) })
        }
    }

    @Test("every key gives the documented shape")
    func shapeOfEveryKey() {
        let surroundings = FixedSurroundings().surroundings
        for _ in 0..<1_000 {
            let text = PairwiseIdentifiers(key: surroundings.randomBytes(16)).text(
                of: PersonID(rawValue: 1), in: school)
            #expect(text.wholeMatch(of: #/[0-9]{6}\.[A-Za-z0-9]{40}\.[A-Za-z0-9]{4}/#) != nil, "\(text)")
        }
    }

    @Test("an identifier leads back to its person, and to nobody else")
    func roundTrip() {
        var seen: Set<String> = []
        for person in Set(people) {
            let text = quizzler.text(of: person, in: school)
            #expect(quizzler.person(text, in: school) == person)
            #expect(seen.insert(text).inserted)
        }
        let personal = quizzler.text(of: PersonID(rawValue: 5), in: nil)
        #expect(quizzler.person(personal, in: nil) == PersonID(rawValue: 5))
        #expect(quizzler.person(personal, in: school) == nil)
    }

    @Test("it is the same for life: made anew from the same key, it does not change")
    func stable() {
        let again = PairwiseIdentifiers(key: Array(0..<16))
        #expect(
            again.text(of: PersonID(rawValue: 17), in: school) == quizzler.text(of: PersonID(rawValue: 17), in: school))
        // Written down when the scheme was fixed: a change here would break every app's records.
        #expect(
            again.text(of: PersonID(rawValue: 17), in: school) == "228765.VUdCR1EzUk9YS0hEMzI3SzM2RFhNM0I2U01NS09J.VjNS"
        )
    }

    @Test("two teams see different ids, and neither takes the other's")
    func pairwise() {
        for person in people.prefix(500) {
            let (ours, theirs) = (quizzler.text(of: person, in: school), planner.text(of: person, in: school))
            #expect(ours != theirs)
            #expect(quizzler.person(theirs, in: school) == nil)
            #expect(planner.person(ours, in: school) == nil)
        }
    }

    @Test(
        "teams of one server get keys of their own, and know one person by different ids",
        arguments: TestDatabase.available)
    func teamsOfOneServer(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let fixed = FixedSurroundings()
            let masterKey = MasterKey(bytes: [UInt8](repeating: 7, count: 32))
            let ids = try await database.write { transaction in
                try ["A", "B"].map { name in
                    try Team.insert(
                        name: name, at: fixed.now, from: fixed.surroundings, under: masterKey, in: transaction
                    ).identifiers(under: masterKey)
                }.map { $0.text(of: PersonID(rawValue: 17), in: school) }
            }
            #expect(ids[0] != ids[1])
        }
    }

    @Test("with the marks of another team copied over, its id still means nobody")
    func forgedMarks() {
        let ours = quizzler.text(of: PersonID(rawValue: 1), in: school)
        for person in people.prefix(500) {
            let theirs = planner.text(of: person, in: school)
            let forged = ours.prefix(7) + theirs.dropFirst(7).prefix(32) + ours.dropFirst(39)
            #expect(quizzler.person(String(forged), in: school) == nil)
        }
    }

    @Test("an id of another organization is refused")
    func foreignOrganization() {
        for person in people.prefix(500) {
            let text = quizzler.text(of: person, in: school)
            #expect(quizzler.person(text, in: OrganizationID(rawValue: 8)) == nil)
            #expect(quizzler.person(text, in: nil) == nil)
        }
    }

    @Test("any changed character is refused")
    func changedCharacter() {
        let text = Array(quizzler.text(of: PersonID(rawValue: 17), in: school).utf8)
        for index in text.indices {
            for character in UInt8(0)...255 where character != text[index] {
                var changed = text
                changed[index] = character
                #expect(quizzler.person(String(decoding: changed, as: UTF8.self), in: school) == nil)
            }
        }
    }

    @Test(
        "what is no identifier is refused",
        arguments: [
            "", "1", ".", String(repeating: ".", count: 52), String(repeating: "A", count: 52),
            String(repeating: "é", count: 26),
        ])
    func garbage(_ text: String) {
        #expect(quizzler.person(text, in: school) == nil)
        let good = quizzler.text(of: PersonID(rawValue: 1), in: school)
        #expect(quizzler.person(good + text, in: school) == (text.isEmpty ? PersonID(rawValue: 1) : nil))
        #expect(quizzler.person(String(good.dropLast()), in: school) == nil)
    }
}
