import Foundation
@testable import KerberosExtension
import Testing

/// docs/specifications/extensible-single-sign-on.md, 23.10 and 25.2.
@Suite struct KeeperSocketTests {
    private let root = FileManager.default.temporaryDirectory.appending(path: "keeper-\(UUID().uuidString)").path

    private func write(_ text: String, to path: String) throws {
        let file = URL(filePath: root + path)
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: file)
    }

    @Test func `the unit says where the keeper listens, and an administrator's parts count`() throws {
        defer { try? FileManager.default.removeItem(atPath: root) }
        #expect(KeeperSocket.listening(root: root).isEmpty)
        let unit = "/usr/lib/systemd/system/sssd-kcm.socket"
        try write("[Socket]\nListenStream = /run/one\nListenDatagram=/run/no\n", to: unit)
        #expect(KeeperSocket.listening(root: root) == ["/run/one"])
        try write("[Socket]\nListenStream=/run/two\n", to: "\(unit).d/20-more.conf")
        #expect(KeeperSocket.listening(root: root) == ["/run/one", "/run/two"])
        let own = "/etc/systemd/system/sssd-kcm.socket.d"
        try write("[Socket]\nListenStream=\nListenStream=/run/three\n", to: "\(own)/30-own.conf")
        #expect(KeeperSocket.listening(root: root) == ["/run/three"])
        // A part with the same name takes the place of the other.
        try write("", to: "\(own)/20-more.conf")
        try write("", to: "\(own)/30-own.conf")
        #expect(KeeperSocket.listening(root: root) == ["/run/one"])
    }

    @Test(arguments: [
        ("/run/kcm", true), ("KEYRING:persistent:1000", true), ("", false), ("/run/a b", false), ("/run/%{uid}", false),
        ("/run/a\nkdc = x", false), ("/run/\"a\"", false), ("/run/{a}", false),
    ])
    func `only what a configuration file reads as it stands is written`(_ text: String, _ isPlain: Bool) {
        #expect(KeeperSocket.isPlain(text) == isPlain)
    }

    @Test(arguments: [
        ("KCM:1000:sso-A.TEST", "KCM:"), ("KEYRING:persistent:1000:sso-A.TEST", "KEYRING:persistent:1000"),
        ("DIR::/run/user/1000/krb5cc/tktsso-A.TEST", "DIR:/run/user/1000/krb5cc"), ("FILE:/tmp/mine", "FILE:/tmp/mine"),
    ])
    func `programs are told where all caches are`(_ cache: String, _ collection: String) {
        #expect(TicketCaches.collection(cache) == collection)
    }
}
