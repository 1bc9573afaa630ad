import Accounts
import Authorization
import Directory
import Fixtures
import Foundation
import Mail
import ServerPages
import Storage
import TestSupport
import Testing
@testable import ServerHTTP
@testable import TestServers

/// Who did not change the password learns that somebody did.
@Suite struct PasswordMailTests {
    private func notice(on server: TestServer) throws -> PasswordNotice {
        PasswordNotice(
            mailer: Mailer(sender: try Mailbox("Lanyard <id@school.example>"), surroundings: server.fixed.surroundings),
            writing: AccountLetter.writing(with: try Pages(), from: TestServer.baseURL))
    }

    private func tell(_ letter: AccountLetter, _ person: Person, _ language: String, on server: TestServer) async throws
    {
        let notice = try notice(on: server)
        try await server.database.write { try notice.tell(letter, to: person, language, in: $0) }
    }

    @Test("a temporary password that took the place of another is told, without the password")
    func issued() async throws {
        try await TestServer.withMail { server in
            let signIn = PasswordSignIn(
                database: server.database, hasher: PasswordHasher(cost: .low), surroundings: server.fixed.surroundings)
            let (notice, teacher) = (try notice(on: server), server.maple.teacher)
            func issue() async throws -> (String, QueuedMail) {
                let teacher = try #require(try await server.database.read { try Person.find(teacher.id, in: $0) })
                let password = try await signIn.issueTemporaryPassword(
                    for: teacher, by: .operator, origin: .commandLine
                ) { try notice.tell(.passwordIssued, to: $0, in: $1) }
                return (password, try #require(try await server.mails().last))
            }
            let (password, mail) = try await issue()
            #expect(mail.recipient == "tara.teacher@maple.example" && mail.language == "en")
            #expect(!mail.text.contains(password) && mail.text.contains("temporary password"))
            // Whoever has chosen a language is told in it.
            try await server.database.write { try Person.put(language: "ko", of: teacher.id, in: $0) }
            let (other, korean) = try await issue()
            #expect(korean.language == "ko" && !korean.text.contains(other))
        }
    }

    @Test(
        "each language has its words, and the subject names the service",
        arguments: ["en", "ja", "ko"])
    func languages(_ language: String) async throws {
        try await TestServer.withMail { server in
            try await tell(.passwordChanged, server.maple.teacher, language, on: server)
            let mail = try #require(try await server.mails().last)
            #expect(mail.subject.contains("id.school.example") && mail.language == language)
        }
    }

    @Test("a managed account whose address is in no domain of its organization gets no mail, nor one without address")
    func others() async throws {
        try await TestServer.withMail { server in
            try await server.database.write {
                try $0.execute("UPDATE domain SET verified_at = NULL")
            }
            for person in [server.maple.teacher, server.maple.ben] {
                try await tell(.passwordChanged, person, "en", on: server)
            }
            #expect(try await server.mails().isEmpty)
            try await tell(.passwordChanged, try await server.addPersonal(), "en", on: server)
            #expect(try await server.mails().map(\.recipient) == ["maria@home.example"])
        }
    }
}
