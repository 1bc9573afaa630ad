import Authorization
import Directory
import Foundation
import NIOHTTP1
import Storage
import Testing

@testable import TestServers

/// What people and administrators ask over the year, compared with what the test knows.
extension SchoolYear {
    private func record(_ number: Int) async throws -> Person {
        try #require(
            try await server.database.read { try Person.find(PersonID(rawValue: Int64(number)), in: $0) })
    }

    /// Somebody signs in to two of the apps, which get the id that the roster has, and had before.
    /// - Parameter temporary: the temporary password, which is replaced first.
    func signIn(_ firstName: String, with temporary: String? = nil) async throws {
        let number = try #require(numbers[firstName])
        let person = try await record(number)
        if let temporary {
            let browser = server.browser()
            let asked = try await browser.follow(server.signIn(person.userName, password: temporary, in: browser))
            let changed = try await browser.submit(
                asked.form("/change-password"), ["new_password": District.password])
            #expect((300..<400).contains(changed.status), "\(changed.line)")
        }
        for index in readers.indices.prefix(2) {
            let tokens = try await server.tokens(readers[index].app, as: person)
            let sub = try await server.verified(tokens.identity).claims["sub"] as? String
            note(try #require(sub), of: number, for: index)
            readers[index].signedIn.insert(number)
        }
    }

    /// Expects that a temporary password is refused after its last day, so that the person needs another one.
    func expectTooLate(_ firstName: String, with temporary: String) async throws {
        let person = try await record(try #require(numbers[firstName]))
        let refused = try await server.signIn(person.userName, password: temporary, in: server.browser())
        #expect(refused.status == 422, "\(refused.line)")
    }

    /// What the app gets of people, and why, is what the plain rules say.
    func expectExplained(_ firstNames: [String]) async throws {
        for reader in readers {
            let members = try await members(of: reader.view.rules)
            for name in firstNames {
                let person = try #require(people.first { $0["firstName"] as? String == name }, "\(name)")
                let number = try #require(person["number"] as? Int)
                let answer = try await user.send(.GET, "people/PE-\(number)/why?app=\(reader.app.clientID)")
                let what: Comment = "\(reader.app.app.name) about \(name): \(answer.line)"
                let roster = answer.json["roster"] as? [String: Any] ?? [:]
                let reason = reader.view.reason(person, members: members)
                #expect(roster["reason"] as? String == reason, what)
                #expect(roster["isAllowed"] as? Bool == (reason == "connected"), what)
                let fields = roster["fields"] as? [String] ?? []
                #expect(fields.isEmpty == (reason != "connected"), what)
                #expect(reader.view.rules.withheld.isDisjoint(with: fields), what)
                let signIn = answer.json["signIn"] as? [String: Any] ?? [:]
                let isGone = person["state"] as? String == "deactivated"
                let hasSignedIn = reader.signedIn.contains(number)
                #expect(
                    signIn["reason"] as? String
                        == (isGone ? "account-deactivated" : hasSignedIn ? "consented" : "not-signed-in-yet"), what)
            }
        }
    }

    /// Who is said to have read a child's record is who has read it, as often as it did.
    func expectReaders(of firstName: String) async throws {
        let number = try #require(numbers[firstName])
        let mark = try await newestEntry()
        try await look()
        try await look()
        var (counts, before) = ([String: Int](), "")
        while true {
            let page = try await user.send(.GET, "people/PE-\(number)/readers?limit=1000\(before)")
            try #require(page.status == 200, "\(page.line)")
            for reading in page.list("readings") where reading["number"] as? Int ?? 0 > mark {
                guard reading["list"] as? String == "users" else { continue }
                #expect(reading["isCertain"] as? Bool == true, "\(reading)")
                counts[reading["reader"] as? String ?? "", default: 0] += 1
            }
            guard let next = page.json["next"] as? Int, next > mark else { break }
            before = "&before=\(next)"
        }
        let expected = readers.filter { $0.seen.contains(number) }.map { ("client:\($0.app.clientID)", 2) }
        #expect(counts == Dictionary(uniqueKeysWithValues: expected), "of \(firstName)")
        #expect(!expected.isEmpty && expected.count < readers.count, "\(firstName) is seen by some apps only")
    }

    /// What the calendar has of a kind, as `day count`.
    func due(_ kind: String) async throws -> [String] {
        try await user.send(.GET, "calendar").list("dates").filter { $0["kind"] as? String == kind }.map {
            "\($0["on"] as? String ?? "") \($0["count"] as? Int ?? 0)"
        }
    }
}

extension SchoolYear.View {
    /// Why an app gets a record, or gets none.
    fileprivate func reason(_ person: [String: Any], members: Set<Int>) -> String {
        guard isAllowed else { return "not-listed-for-data-sharing" }
        guard isConnected else { return "not-connected" }
        guard person["state"] as? String != "deactivated" else { return "account-deactivated" }
        if let number = person["number"] as? Int, rules.leftOut.contains(number) { return "left-out" }
        return rules.show(person, members: members) ? "connected" : "not-shared"
    }
}
