import Foundation
import SingleSignOn
@testable import SingleSignOnBroker
import TestCertificates
import Testing

@Suite struct PublicRootsTests {
    private let authority: TestAuthority
    private let second: TestAuthority
    private let folder: URL
    /// Mozilla's list on this machine.
    private let debian = "/usr/share/ca-certificates/mozilla"

    init() throws {
        authority = try TestAuthority()
        second = try TestAuthority()
        folder = authority.certificates.folder
    }

    @Test func `in Debian the authorities are those of the package, without those that are crossed out`() throws {
        #expect(try PublicRoots().certificates.count > 80)
        #expect(throws: PublicRoots.Missing.self) { try PublicRoots(from: []) }
        let list = folder.appendingPathComponent("list")
        let name = try #require(FileManager.default.contentsOfDirectory(atPath: debian).min())
        try Data("# some\nmozilla/other.crt\n!mozilla/\(name)\n".utf8).write(to: list)
        let all = try PublicRoots(from: [.folder(debian, selection: "/nowhere")]).certificates.count
        let rest = try PublicRoots(from: [.folder(debian, selection: list.path)]).certificates.count
        #expect(rest == all - 1, "one is crossed out")
    }

    @Test func `each distribution has a place, and what is nowhere names the package`() throws {
        let paths = PublicRoots.places.map { place in
            switch place {
            case .folder(let path, _), .list(let path, _): path
            }
        }
        #expect(paths.count == 4 && paths.allSatisfy { $0.hasPrefix("/usr/share/") }, "only what packages write counts")
        let missing = #expect(throws: PublicRoots.Missing.self) {
            try PublicRoots(from: [.list("/nowhere", blocklists: [])])
        }
        #expect(missing?.description.contains("ca-certificates") == true)
    }

    /// An object of a list, as the packages of Fedora, openSUSE and Arch have them.
    private func object(_ certificate: TestCertificates.Certificate, _ attributes: String = "trusted: true") -> String {
        """
        # A comment: value
        [p11-kit-object-v1]
        label: "An: authority"
        \(attributes)
        nss-mozilla-ca-policy: true
        modifiable: false
        \(String(decoding: certificate.pem, as: UTF8.self))
        #Certificate:
        #    Data: -----BEGIN CERTIFICATE-----

        """
    }

    private func purposes(_ certificate: TestCertificates.Certificate, _ value: String) throws -> String {
        let key = try #require(Certificate.all(inPEM: certificate.pem).first).publicKey.base64EncodedString(
            options: .lineLength64Characters)
        return """
            [p11-kit-object-v1]
            label: "An authority"
            class: x-certificate-extension
            object-id: 2.5.29.37
            value: "\(value)"
            modifiable: false
            -----BEGIN PUBLIC KEY-----
            \(key.replacingOccurrences(of: "\r\n", with: "\n"))
            -----END PUBLIC KEY-----

            """
    }

    private func read(_ text: String, blocklists: [String] = []) throws -> [Certificate] {
        let list = folder.appendingPathComponent("list.trust.p11-kit")
        try Data(text.utf8).write(to: list)
        return (try? PublicRoots(from: [.list(list.path, blocklists: blocklists)]))?.certificates ?? []
    }

    @Test func `of a list those count that are trusted to vouch for servers`() throws {
        let (one, other) = (authority.root, second.root)
        let certificates = [one, other].flatMap { Certificate.all(inPEM: $0.pem) }
        #expect(try read(object(one) + object(other)) == certificates)
        #expect(try read("# nothing\n\n" + object(one, "x-distrusted: true") + object(other)) == [certificates[1]])
        #expect(try read(object(one, "trusted: true\nx-distrusted: true")) == [])
        #expect(try read(object(one, "modifiable: false")) == [])
        #expect(try read(String(decoding: one.pem, as: UTF8.self)) == [], "it is no object")

        let (mail, mailAndServers, any) = (
            "0%16%06%03U%1D%25%01%01%FF%04%0C0%0A%06%08%2B%06%01%05%05%07%03%04",
            "0 %06%03U%1D%25%01%01%FF%04%160%14%06%08%2B%06%01%05%05%07%03%01%06%08%2b%06%01%05%05%07%03%04",
            "0%12%06%03U%1D%25%01%01%FF%04%080%06%06%04U%1D%25%00"
        )
        #expect(try read(object(one) + object(other) + purposes(one, mail)) == [certificates[1]])
        #expect(try read(purposes(one, mail) + object(one)) == [])
        #expect(try read(object(one) + purposes(one, mailAndServers)) == [certificates[0]])
        #expect(try read(object(one) + purposes(one, any)) == [certificates[0]])
        #expect(try read(object(one) + purposes(one, "")) == [], "what cannot be read excludes")
    }

    @Test func `what the administrator does not trust is left out, and nothing is added`() throws {
        let (one, other) = (authority.root, second.root)
        let blocked = folder.appendingPathComponent("blocklist")
        try FileManager.default.createDirectory(at: blocked, withIntermediateDirectories: true)
        try one.pem.write(to: blocked.appendingPathComponent("one.pem"))
        let left = try read(object(one) + object(other), blocklists: ["/nowhere", blocked.path])
        #expect(left == Certificate.all(inPEM: other.pem))
        try FileManager.default.removeItem(at: blocked.appendingPathComponent("one.pem"))
        let der = try #require(Certificate.all(inPEM: other.pem).first).bytes
        try der.write(to: blocked.appendingPathComponent("other.der"))
        try one.pem.write(to: blocked.appendingPathComponent("..notes"))
        #expect(try read(object(other), blocklists: [blocked.path]) == [])
    }

    @Test func `a blocklist may have p11-kit's format, and a file without a certificate is named`() throws {
        let (one, other) = (authority.root, second.root)
        let blocked = folder.appendingPathComponent("blocklist")
        try FileManager.default.createDirectory(at: blocked, withIntermediateDirectories: true)
        let distrusted = object(one, "x-distrusted: true")
        try Data(distrusted.utf8).write(to: blocked.appendingPathComponent("one.p11-kit"))
        let broken = blocked.appendingPathComponent("other.pem").path
        try other.pem.dropLast(60).write(to: URL(fileURLWithPath: broken))
        let list = folder.appendingPathComponent("list.trust.p11-kit")
        try Data((object(one) + object(other)).utf8).write(to: list)
        let places = [PublicRoots.Place.list(list.path, blocklists: [blocked.path])]
        let roots = try PublicRoots(from: places)
        #expect(roots.certificates == Certificate.all(inPEM: other.pem))
        #expect(roots.unreadBlocklists == [broken])

        let lines = LogLines()
        BrokerService.logUnreadBlocklists(at: places, lines.logger)
        #expect(lines.all.count == 1 && lines.all.first?.contains(broken) == true)
    }

    /// p11-kit itself reads the list of this machine, and writes it in its own format.
    @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/trust"), "p11-kit is not installed"))
    func `what p11-kit writes is read as p11-kit reads it`() throws {
        func trust(_ arguments: String...) throws -> String {
            let process = Process()
            let output = Pipe()
            process.executableURL = URL(fileURLWithPath: "/usr/bin/trust")
            process.arguments = arguments
            process.standardOutput = output
            try process.run()
            let data = output.fileHandleForReading.readDataToEndOfFile()
            process.waitUntilExit()
            return String(decoding: data, as: UTF8.self)
        }
        let bundle = folder.appendingPathComponent("bundle.pem").path
        _ = try trust("extract", "--filter=ca-anchors", "--purpose=server-auth", "--format=pem-bundle", bundle)
        let expected = Set(Certificate.all(inPEM: try Data(contentsOf: URL(fileURLWithPath: bundle))))
        let found = Set(try read(trust("dump")))
        #expect(expected.count > 80 && found == expected)
    }
}
