import Directory
import Fixtures
import Foundation
import Mail
import Outbox
import Storage
import TestSupport
import Testing
@testable import ServerHTTP
@testable import TestServers

@Suite struct MailDeliveryTests {
    @Test(
        "what was queued before the server started, and while it runs, is delivered", arguments: TestDatabase.available)
    func delivers(_ kind: TestDatabase) async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("lanyard-mail-\(UUID())").path
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let sender = try Mailbox("Maple <id@maple.example>")
        try await Gate.servers.admit {
            try await kind.with { database in
                let scene = try await Scene.insert(in: database)
                let mailer = Mailer(sender: sender, surroundings: scene.fixed.surroundings)
                @Sendable func enqueue(_ subject: String) async throws {
                    let message = try MailMessage(
                        to: try MailAddress("maria@home.example"), subject: subject, text: "Code", language: "en")
                    try await database.write { try mailer.enqueue(message, in: $0) }
                }
                @Sendable func wait(for count: Int) async throws -> [String] {
                    let end = ContinuousClock.now + .seconds(20)
                    while true {
                        let names = (try? FileManager.default.contentsOfDirectory(atPath: "\(folder)/new")) ?? []
                        if names.count >= count || ContinuousClock.now > end {
                            return try names.map { try String(contentsOfFile: "\(folder)/new/\($0)", encoding: .utf8) }
                        }
                        try await Task.sleep(for: .milliseconds(10))
                    }
                }
                try await enqueue("Before")
                try await TestServer.run(
                    scene,
                    configure: {
                        $0.mail = MailConfiguration(sender: sender, transport: .maildir(folder))
                        $0.mailInterval = .milliseconds(10)
                    }
                ) { _ in
                    let first = try await wait(for: 1)
                    #expect(first.count == 1 && first[0].contains("\nSubject: Before\n"))
                    try await enqueue("After")
                    let both = try await wait(for: 2)
                    #expect(both.contains { $0.contains("\nSubject: After\n") })
                }
                let left = try await database.read { try MailOutbox.outbox.backlog(in: $0).waiting }
                #expect(left == 0)
            }
        }
    }
}
