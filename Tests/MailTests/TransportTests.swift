import Foundation
import Ground
import Mail
import Testing

@Suite struct TransportTests {
    @Test("a mail appears in the folder as one whole file, for its owner alone")
    func maildir() async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("lanyard-maildir-\(UUID())").path
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let transport = MaildirTransport(folder: folder, surroundings: .system)
        for number in 1...3 {
            try await transport.send(
                "Subject: \(number)\r\n\r\nText\r\n", from: try MailAddress("id@maple.example"),
                to: try MailAddress("maria@home.example"))
        }
        let names = try FileManager.default.contentsOfDirectory(atPath: "\(folder)/new")
        #expect(names.count == 3)
        #expect(try FileManager.default.contentsOfDirectory(atPath: "\(folder)/tmp").isEmpty)
        #expect(FileManager.default.fileExists(atPath: "\(folder)/cur"))
        let files = try names.map { try String(contentsOfFile: "\(folder)/new/\($0)", encoding: .utf8) }
        #expect(
            Set(files)
                == Set(
                    (1...3).map {
                        "Return-Path: <id@maple.example>\nDelivered-To: maria@home.example\nSubject: \($0)\n\nText\n"
                    }))
        let mode = try FileManager.default.attributesOfItem(atPath: "\(folder)/new/\(names[0])")[.posixPermissions]
        #expect((mode as? NSNumber)?.intValue == 0o600)
    }

    @Test("a folder that cannot be written is a failure that may pass")
    func unwritable() async throws {
        let failure = await #expect(throws: MailFailure.self) {
            try await MaildirTransport(folder: "/dev/null/mail", surroundings: .system).send(
                "x", from: try MailAddress("id@maple.example"), to: try MailAddress("maria@home.example"))
        }
        #expect(failure?.isPermanent == false)
    }

    @Test("a server that is not there is a failure that may pass")
    func nobodyThere() async throws {
        let server = try SMTPTransport.Server(url: "smtp://127.0.0.1:1")
        let failure = await #expect(throws: MailFailure.self) {
            try await SMTPTransport(server).send(
                "x", from: try MailAddress("id@maple.example"), to: try MailAddress("maria@home.example"))
        }
        #expect(failure?.isPermanent == false)
        #expect(failure?.reason.contains("127.0.0.1") == true)
    }

    @Test(
        "only the address of a mail server is one",
        arguments: [
            "", "mail.example", "http://mail.example", "smtp://", "smtp://mail.example/path", "smtp://mail.example?x=y",
            "smtp://user:secret@mail.example", "smtp://mail.example#x",
        ])
    func badServers(_ url: String) {
        #expect(throws: SMTPTransport.Server.Problem.self) { try SMTPTransport.Server(url: url) }
    }

    @Test("a connection needs TLS, unless it stays on this machine")
    func security() throws {
        #expect(try SMTPTransport.Server(url: "smtp://mail.example:587").requiresTLS)
        #expect(try SMTPTransport.Server(url: "smtp://localhost.evil.example").requiresTLS)
        #expect(try !SMTPTransport.Server(url: "smtp://127.0.0.1:25").requiresTLS)
        #expect(try SMTPTransport.Server(url: "smtp://127.0.0.1:25", certificateAuthorityFile: "/ca.pem").requiresTLS)
        #expect(throws: SMTPTransport.Server.Problem.halfOfCredentials) {
            try SMTPTransport.Server(url: "smtp://mail.example", userName: "x")
        }
    }
}
