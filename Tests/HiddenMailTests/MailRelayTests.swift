import Authorization
import Directory
import Fixtures
import Foundation
import HiddenMail
import Mail
import Storage
import TestSupport
import Testing

@Suite struct MailRelayTests {
    /// A relay with one person, and a team that has registered a domain and an address.
    private struct Post {
        let server: AuthorizationServer
        let relay: MailRelay
        let maria: Person
        let hidden: HiddenAddress

        init(
            _ database: any Database, verifiersTellFailures: @escaping @Sendable () -> Bool = { true }
        ) async throws {
            server = try await AuthorizationServer(database: database)
            relay = MailRelay(
                database: database, surroundings: server.fixed.surroundings, domain: "relay.maple.example",
                verifiersTellFailures: verifiersTellFailures)
            maria = try await server.insertPersonalAccount("maria")
            hidden = try await server.hiddenAddress(of: maria, at: server.registered.team.id)
            let (team, now) = (server.registered.team.id, server.fixed.now)
            try await database.write { transaction in
                for name in ["quizzler.example", "robin@elm.example"] {
                    _ = try RelaySender.insert(name, for: team, relayDomain: nil, at: now, in: transaction)
                }
            }
        }

        func decision(
            from author: String, sender: String? = nil, to recipient: String? = nil,
            spf: AuthenticationResults.Finding? = nil, dkim: AuthenticationResults.Finding? = nil,
            headers: [HeaderField] = []
        ) async throws -> MailRelay.Decision {
            try await relay.decision(
                on: .init(
                    envelopeSender: sender ?? author, recipient: recipient ?? hidden.address,
                    headers: [HeaderField(name: "From", value: author)] + headers,
                    results: .init(spf: spf.map { [$0] } ?? [], dkim: dkim.map { [$0] } ?? [])))
        }
    }

    private static func pass(_ domain: String) -> AuthenticationResults.Finding {
        .init(outcome: .pass, domain: domain)
    }

    @Test("a registered sender passes with SPF or with DKIM, of exactly its domain", arguments: TestDatabase.available)
    func rule(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let post = try await Post(database)
            let pass = Self.pass
            func isForwarded(_ decision: MailRelay.Decision) -> Bool {
                if case .forward = decision { true } else { false }
            }
            let refused = MailRelay.Decision.refuse(.unauthorizedSender)
            let news = "news@quizzler.example"
            #expect(isForwarded(try await post.decision(from: news, spf: pass("quizzler.example"))))
            #expect(isForwarded(try await post.decision(from: news, dkim: pass("quizzler.example"))))
            #expect(isForwarded(try await post.decision(from: news, sender: "", dkim: pass("quizzler.example"))))
            #expect(isForwarded(try await post.decision(from: "robin@elm.example", spf: pass("elm.example"))))
            #expect(try await post.decision(from: news) == refused)
            #expect(try await post.decision(from: news, spf: pass("mail.quizzler.example")) == refused)
            #expect(try await post.decision(from: news, dkim: pass("mail.quizzler.example")) == refused)
            #expect(try await post.decision(from: news, dkim: pass("example")) == refused)
            #expect(
                try await post.decision(from: news, spf: .init(outcome: .other, domain: "quizzler.example")) == refused)
            #expect(
                try await post.decision(from: news, spf: .init(outcome: .temporaryError, domain: nil)) == .tryLater)
            #expect(
                try await post.decision(from: news, sender: "x@elm.example", spf: pass("elm.example")) == refused)
            #expect(try await post.decision(from: "rowan@elm.example", spf: pass("elm.example")) == refused)
            // A sender that the team has not registered is refused, even with a proof.
            let rival = "news@rival.example"
            #expect(try await post.decision(from: rival, dkim: pass("rival.example")) == refused)
            #expect(try await post.decision(from: rival, spf: pass("rival.example")) == refused)
            #expect(
                try await post.decision(
                    from: rival, sender: news, spf: pass("quizzler.example"), dkim: pass("rival.example")) == refused)
            #expect(
                try await post.decision(from: "a@mail.quizzler.example", spf: pass("mail.quizzler.example")) == refused)
        }
    }

    @Test("an answer goes to the app, from the person alone", arguments: TestDatabase.available)
    func answers(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let post = try await Post(database)
            let mail = try await post.decision(from: "News@quizzler.example", dkim: Self.pass("quizzler.example"))
            guard case .forward(let sender, let rewriting) = mail else {
                Issue.record("not forwarded: \(mail)")
                return
            }
            #expect(sender == "bounces@relay.maple.example")
            let from = rewriting.changes.compactMap { change -> String? in
                if case .replace("From", 1, let value) = change { value } else { nil }
            }
            let standIn = try #require(from.first?.split(separator: "<").last.map { String($0.dropLast()) })
            #expect(try await post.relay.destination(of: standIn) == "News@quizzler.example")
            #expect(try await post.relay.destination(of: post.hidden.address.uppercased()) == "maria@home.example")

            let proof = Self.pass("home.example")
            let answer = try await post.decision(from: "Maria@home.example", to: standIn, spf: proof)
            guard case .forward(post.hidden.address, _) = answer else {
                Issue.record("not forwarded: \(answer)")
                return
            }
            #expect(try await post.decision(from: "maria@home.example", to: standIn) == .refuse(.notThePerson))
            #expect(
                try await post.decision(from: "maria@home.example", sender: "ana@home.example", to: standIn, spf: proof)
                    == .refuse(.notThePerson))
            #expect(
                try await post.decision(from: "ana@home.example", to: standIn, spf: proof) == .refuse(.notThePerson))
            #expect(
                try await post.decision(from: "maria@home.example", sender: "", to: standIn, dkim: proof)
                    == .refuse(.automaticAnswer))
            // Absence notes tell the app more than the person wants. RFC 3834 section 5.
            for (value, isAutomatic) in [
                ("auto-replied", true), ("Auto-Generated; type=vacation", true), ("anything", true), ("", true),
                ("no", false), (" No ", false),
            ] {
                let note = try await post.decision(
                    from: "maria@home.example", to: standIn, spf: proof,
                    headers: [HeaderField(name: "AUTO-SUBMITTED", value: value)])
                #expect((note == .refuse(.automaticAnswer)) == isAutomatic, "\(value)")
            }
            #expect(try await post.relay.refusal(sender: "", recipient: standIn) == .notThePerson)
            #expect(try await post.relay.refusal(sender: "maria@home.example", recipient: standIn) == nil)
        }
    }

    @Test(
        "while a verifier cannot tell failures, nothing is refused for want of proof",
        arguments: TestDatabase.available)
    func verifierThatCannotTell(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let post = try await Post(database, verifiersTellFailures: { false })
            let (news, proof) = ("news@quizzler.example", Self.pass("quizzler.example"))
            let failed = AuthenticationResults.Finding(outcome: .other, domain: "quizzler.example")
            guard case .forward(_, let rewriting) = try await post.decision(from: news, spf: proof) else {
                Issue.record("what is proven is not forwarded")
                return
            }
            #expect(try await post.decision(from: news) == .tryLater)
            #expect(try await post.decision(from: news, spf: failed) == .tryLater)
            let standIn = try #require(
                rewriting.changes.compactMap { change -> String? in
                    guard case .replace("From", 1, let value) = change else { return nil }
                    return value.split(separator: "<").last.map { String($0.dropLast()) }
                }.first)
            #expect(try await post.decision(from: "maria@home.example", to: standIn, spf: failed) == .tryLater)
            // Refusals for other reasons do not depend on the verifier.
            #expect(try await post.decision(from: "a@rival.example") == .refuse(.unauthorizedSender))
            #expect(try await post.decision(from: "ana@home.example", to: standIn) == .refuse(.notThePerson))
            #expect(try await post.decision(from: news, to: "x@relay.maple.example") == .refuse(.unknownRecipient))
        }
    }

    /// Serialized, because it keeps a thread waiting.
    @Test(
        "nobody waits with a write to the database while the verifier is looked for", .serialized,
        arguments: TestDatabase.available)
    func verifierOutsideOfTransactions(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let post = try await Post(database) {
                let written = DispatchSemaphore(value: 0)
                Task.detached {
                    try await database.write { _ in }
                    written.signal()
                }
                // Beside many other tests, the writer can be kept waiting for a thread.
                return written.wait(timeout: .now() + 60) == .success
            }
            #expect(try await post.decision(from: "news@quizzler.example") == .refuse(.unauthorizedSender))
        }
    }

    @Test("no mail goes where none is wanted", arguments: TestDatabase.available)
    func unwanted(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let post = try await Post(database)
            let proof = Self.pass("quizzler.example")
            let unknown = MailRelay.Decision.refuse(.unknownRecipient)
            #expect(try await post.relay.destination(of: post.hidden.address) != nil)
            #expect(
                try await post.decision(from: "a@quizzler.example", to: "x@elsewhere.example", dkim: proof) == unknown)
            for change in [
                "UPDATE hidden_address SET forwards = 0", "UPDATE person SET state = 'deactivated'",
                "UPDATE person SET email = NULL", "UPDATE person SET email = 'x@relay.maple.example'",
                "UPDATE person SET organization_id = \(post.server.school.organization.id.rawValue)",
                "UPDATE hidden_address SET team_id = NULL", "UPDATE hidden_address SET person_id = NULL",
            ] {
                try await database.write { try $0.execute(change) }
                #expect(try await post.relay.destination(of: post.hidden.address) == nil, "\(change)")
                #expect(try await post.decision(from: "a@quizzler.example", dkim: proof) == unknown, "\(change)")
                #expect(
                    try await post.relay.refusal(sender: "a@quizzler.example", recipient: post.hidden.address)
                        == .unknownRecipient, "\(change)")
                let (hidden, maria) = (post.hidden, post.maria)
                try await database.write { transaction in
                    try transaction.execute(
                        """
                        UPDATE person SET state = 'active', email = 'maria@home.example', organization_id = NULL
                        WHERE id = $1
                        """, [maria.id])
                    try transaction.execute(
                        "UPDATE hidden_address SET forwards = 1, team_id = $2, person_id = $3 WHERE id = $1",
                        [hidden.id, hidden.teamID, maria.id])
                }
            }
            #expect(try await post.relay.destination(of: post.hidden.address) != nil)
        }
    }

    @Test("an address has up to 1000 that stand for senders, and the newest work", arguments: TestDatabase.available)
    func manySenders(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let post = try await Post(database)
            for number in 0..<1_005 {
                post.server.fixed.advance(by: 86_400)
                _ = try await post.decision(from: "n\(number)@quizzler.example", dkim: Self.pass("quizzler.example"))
            }
            let left = try await database.read {
                try $0.all("SELECT sender FROM reply_address ORDER BY used_at") { try $0[0] as String }
            }
            #expect(left.count == 1_000)
            #expect(left.first == "n5@quizzler.example")
            #expect(left.last == "n1004@quizzler.example")
        }
    }

    @Test("an address that a person answers to is used", arguments: TestDatabase.available)
    func usedByAnswers(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let post = try await Post(database)
            for name in ["a", "b"] {
                _ = try await post.decision(from: "\(name)@quizzler.example", dkim: Self.pass("quizzler.example"))
            }
            let standIn = try await database.read {
                try $0.first("SELECT address FROM reply_address WHERE sender = 'a@quizzler.example'") {
                    try $0[0] as String
                }
            }
            post.server.fixed.advance(by: 3 * 86_400)
            // A letter from somebody else does not count as a use.
            _ = try await post.decision(from: "ana@home.example", to: standIn, spf: Self.pass("home.example"))
            func latest() async throws -> [String] {
                try await database.read {
                    try $0.all(
                        """
                        SELECT sender FROM reply_address
                        WHERE used_at = (SELECT MAX(used_at) FROM reply_address) ORDER BY sender
                        """
                    ) { try $0[0] }
                }
            }
            #expect(try await latest() == ["a@quizzler.example", "b@quizzler.example"])
            let answer = try await post.decision(
                from: "maria@home.example", to: standIn, spf: Self.pass("home.example"))
            guard case .forward = answer else {
                Issue.record("not forwarded: \(answer)")
                return
            }
            #expect(try await latest() == ["a@quizzler.example"])
        }
    }
}
