import Foundation
@testable import SingleSignOn
import SingleSignOnWire
import TestCertificates
import Testing

@Suite struct ProfileStoreTests {
    private let folder: StoreFolder

    init() throws { folder = try StoreFolder() }

    /// A store that a user installs into without root, as developers do.
    private var store: ProfileStore { ProfileStore(folder.locations, allowsUserProfiles: true) }

    @Test func `a profile is installed, replaced by one with the same identifier, and removed`() throws {
        let first = try store.install(StoreProfile.file("test.acme.sso", urls: ["https://a.test/"]), into: .user)
        #expect(!first.isReplacement && first.entry.source == "\(folder.user)/test.acme.sso.mobileconfig")
        let second = try store.install(StoreProfile.file("test.acme.sso", urls: ["https://b.test/"]), into: .user)
        #expect(second.isReplacement)
        let loaded = store.load()
        #expect(loaded.faulty.isEmpty)
        #expect(loaded.entries.map(\.profile.identifier) == ["test.acme.sso"])
        #expect(loaded.entries.first?.kind == .user)
        #expect(loaded.payloads.flatMap(\.urls).map(\.text) == ["https://b.test/"])
        #expect(abs(try #require(loaded.entries.first?.installedAt).timeIntervalSinceNow) < 60)
        #expect(try folder.mode(of: "\(folder.user)/test.acme.sso.mobileconfig") == 0o644)
        #expect(try folder.mode(of: folder.user) == 0o700)

        #expect(try store.remove(identifier: "test.acme.sso", from: .user).count == 1)
        #expect(store.load().entries.isEmpty)
        #expect(throws: ProfileStore.InstallationError.self) {
            try store.remove(identifier: "test.acme.sso", from: .user)
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.user) == [".lock"])
    }

    @Test func `a profile under another file's name is replaced where it is`() throws {
        try folder.put(StoreProfile.file("test.acme.sso", urls: ["https://a.test/"]), at: "user/acme.mobileconfig")
        let done = try store.install(StoreProfile.file("test.acme.sso", urls: ["https://a.test/x/"]), into: .user)
        #expect(done.isReplacement && done.entry.source == "\(folder.user)/acme.mobileconfig")
        #expect(store.load().entries.count == 1)
    }

    @Test func `a file of the same name that holds another profile is not lost`() throws {
        let other = StoreProfile.file("test.other", urls: ["https://a.test/"])
        try folder.put(other, at: "user/test.acme.sso.mobileconfig")
        // This profile claims the same URL, so it is not in effect. Its file must not be overwritten all the same.
        try folder.put(StoreProfile.file("test.third", urls: ["https://a.test/"]), at: "user/test.fourth.mobileconfig")
        let before = try folder.contents()
        for (identifier, other) in [("test.acme.sso", "test.other"), ("test.fourth", "test.third")] {
            #expect {
                try store.install(StoreProfile.file(identifier, urls: ["https://b.test/"]), into: .user)
            } throws: { "\($0)".contains("“\(other)”") }
        }
        #expect(try folder.contents().filter { $0.key != "user/.lock" } == before)
    }

    @Test
    func `what clashes with an installed profile is refused, names owner and value, and changes nothing`()
        throws
    {
        try store.install(
            StoreProfile.file("test.acme.sso", urls: ["https://id.acme.test/"], hosts: [".corp.test"]), into: .user)
        let before = try folder.contents()
        for file in [
            StoreProfile.file("test.other", urls: ["https://ID.acme.test:443"]),
            StoreProfile.file("test.other", hosts: [".CORP.test"]),
        ] {
            do {
                try store.install(file, into: .user)
                Issue.record("This was installed.")
            } catch {
                #expect("\(error)".contains("“test.acme.sso”"))
                #expect("\(error)".lowercased().contains("id.acme.test") || "\(error)".contains(".corp.test"))
            }
        }
        for file in [Data(), Data("<html>".utf8), Data(repeating: 0x30, count: 100)] {
            #expect(throws: ProfileStore.InstallationError.self) { try store.install(file, into: .user) }
        }
        #expect(try folder.contents() == before)
    }

    @Test
    func `of two files that clash the one that was there first counts, the other is faulty and says with whom`()
        throws
    {
        let files: [(String, Data)] = [
            ("b", StoreProfile.file("test.first", urls: ["https://id.acme.test"])),
            ("a", StoreProfile.file("test.second", urls: ["https://id.acme.test/", "https://other.test/"])),
            ("c", StoreProfile.file("test.third", hosts: ["intranet.test"])),
            ("d", StoreProfile.file("test.fourth", hosts: ["Intranet.test"])),
            ("e", StoreProfile.file("test.first", urls: ["https://unrelated.test/"])),
        ]
        for (index, file) in files.enumerated() {
            try folder.put(file.1, at: "user/\(file.0).mobileconfig", age: 1_000 - index)
        }
        let loaded = store.load()
        #expect(loaded.entries.map(\.profile.identifier) == ["test.first", "test.third"])
        #expect(loaded.faulty.map(\.identifier) == ["test.second", "test.fourth", "test.first"])
        #expect(loaded.faulty[0].problem.contains("“https://id.acme.test/”"))
        #expect(loaded.faulty[0].problem.contains("“test.first”"))
        #expect(loaded.faulty[1].problem.contains("“test.third”"))
        #expect(loaded.faulty[2].problem.contains("identifier"))
        let index = MatchIndex(loaded.payloads)
        #expect(index.redirect(for: "https://id.acme.test/x")?.payload.extensionIdentifier == "test.first.extension")
        #expect(index.redirect(for: "https://other.test/x") == nil)
    }

    @Test func `a UUID that is in use makes the later profile faulty`() throws {
        try folder.put(StoreProfile.file("test.first", urls: ["https://a.test/"]), at: "user/a.mobileconfig", age: 9)
        let copy = String(decoding: StoreProfile.file("test.first", urls: ["https://b.test/"]), as: UTF8.self)
            .replacing("<string>test.first</string>", with: "<string>test.copy</string>")
        try folder.put(Data(copy.utf8), at: "user/b.mobileconfig", age: 5)
        #expect(store.load().entries.map(\.profile.identifier) == ["test.first"])
        #expect(store.load().faulty.first?.problem.contains("UUID") == true)
    }

    @Test func `a file that is none, too large, a link, a pipe or open to others is faulty, and the rest counts`()
        throws
    {
        try folder.put(StoreProfile.file("test.good", urls: ["https://a.test/"]), at: "user/good.mobileconfig")
        let other = StoreProfile.file("test.other", urls: ["https://b.test/"])
        try folder.put(other, at: "elsewhere")
        #expect(symlink("\(folder.path)/elsewhere", "\(folder.user)/link.mobileconfig") == 0)
        #expect(mkfifo("\(folder.user)/pipe.mobileconfig", 0o600) == 0)
        #expect(mkdir("\(folder.user)/folder.mobileconfig", 0o700) == 0)
        try folder.put(other, at: "user/open.mobileconfig", mode: 0o666)
        try folder.put(Data(count: SignedProfile.bytesMax + 1), at: "user/large.mobileconfig")
        try folder.put(Data("<html></html>".utf8), at: "user/page.mobileconfig")
        try folder.put(other, at: "user/other.plist")
        try folder.put(Data("half".utf8), at: "user/.draft-1-2")

        let loaded = store.load()
        #expect(loaded.entries.map(\.profile.identifier) == ["test.good"])
        let faults = Dictionary(loaded.faulty.map { (String($0.source.split(separator: "/").last!), $0.problem) }) {
            $1
        }
        #expect(
            faults.keys.sorted() == ["folder", "large", "link", "open", "page", "pipe"].map { "\($0).mobileconfig" })
        for name in ["link", "pipe", "folder"] {
            #expect(faults["\(name).mobileconfig"]?.contains("plain file") == true)
        }
        #expect(faults["open.mobileconfig"]?.contains("chmod go-w") == true)
        #expect(faults["large.mobileconfig"]?.contains("bytes") == true)
    }

    @Test func `a user's folder that others can write to, or that is a link, counts for nothing`() throws {
        try folder.put(StoreProfile.file("test.good", urls: ["https://a.test/"]), at: "user/good.mobileconfig")
        #expect(chmod(folder.user, 0o777) == 0)
        #expect(store.load().entries.isEmpty)
        #expect(store.load().faulty.map(\.source) == [folder.user])
        #expect(throws: ProfileStore.InstallationError.self) {
            try store.install(StoreProfile.file("test.other", urls: ["https://b.test/"]), into: .user)
        }
        #expect(chmod(folder.user, 0o700) == 0)
        #expect(symlink(folder.user, "\(folder.path)/link") == 0)
        var locations = folder.locations
        locations.user = "\(folder.path)/link"
        #expect(ProfileStore(locations, allowsUserProfiles: true).load().entries.isEmpty)
    }

    @Test func `profiles of users count only if somebody says so whom they cannot stand in for`() throws {
        let file = StoreProfile.file("test.good", urls: ["https://a.test/"])
        try folder.put(file, at: "user/good.mobileconfig")
        let closed = ProfileStore(folder.locations)
        #expect(closed.load().entries.isEmpty)
        #expect(closed.load().faulty.first?.problem.contains(folder.locations.policy) == true)
        #expect(throws: ProfileStore.InstallationError.self) { try closed.install(file, into: .user) }
        #expect(store.load().entries.count == 1)

        // A policy file that root does not own is ignored.
        try folder.put(Data(#"{"allowUserProfiles": true}"#.utf8), at: "policy.json")
        if geteuid() == 0 { #expect(chown(folder.locations.policy, 65_534, 65_534) == 0) }
        #expect(closed.load().entries.isEmpty)
        #expect(closed.load().faulty.first?.problem.contains("belongs to user") == true)
    }

    @Test func `a folder of the device that is not root's counts for nothing, whoever asks`() throws {
        try folder.put(StoreProfile.file("test.good", urls: ["https://a.test/"]), at: "device/good.mobileconfig")
        if geteuid() == 0 { #expect(chown(folder.device, 65_534, 65_534) == 0) }
        for allows in [false, true] {
            let loaded = ProfileStore(folder.locations, allowsUserProfiles: allows).load()
            #expect(loaded.entries.isEmpty)
            #expect(loaded.faulty.first?.problem.contains("not to root") == true)
        }
    }

    @Test func `profiles with long identifiers have files of their own in the folder`() {
        let names = ["x", "y"].map { ProfileStore.fileName(of: String(repeating: "long/", count: 100) + $0) }
        #expect(names[0] != names[1])
        for name in names { #expect(!name.contains("/") && name.utf8.count <= 255) }
    }

    @Test func `several installations at once all succeed, and none is half there`() async throws {
        let store = store
        try await withThrowingTaskGroup { group in
            for index in 0..<20 {
                group.addTask {
                    try store.install(
                        StoreProfile.file("test.n\(index % 10)", urls: ["https://n\(index % 10).test/"]), into: .user)
                    _ = store.load().faulty.isEmpty
                }
            }
            try await group.waitForAll()
        }
        #expect(store.load().entries.count == 10 && store.load().faulty.isEmpty)
    }

    @Test func `10 000 entries of a profile, and thousands of profiles, load at once`() throws {
        let urls = (0..<10_000).map { "https://host\($0).acme.test/" }
        try folder.put(StoreProfile.file("test.large", urls: urls, app: "test.large"), at: "user/large.mobileconfig")
        let clock = ContinuousClock()
        let large = clock.measure { #expect(store.load().payloads.first?.urls.count == 10_000) }
        #expect(try store.remove(identifier: "test.large", from: .user).count == 1)
        for index in 0..<2_000 {
            try StoreProfile.small(index).write(to: URL(fileURLWithPath: "\(folder.user)/\(index).mobileconfig"))
        }
        let small = clock.measure { #expect(store.load().entries.count == 2_000) }
        // The limit is wide because this is a debug build on a busy machine. A quadratic algorithm would take minutes.
        #expect(large < .seconds(20) && small < .seconds(20))
    }
}

/// Tests that need root.
@Suite(.enabled(if: geteuid() == 0, "The device's store is root's."))
struct DeviceProfileStoreTests {
    private let folder: StoreFolder
    private let store: ProfileStore

    init() throws {
        folder = try StoreFolder()
        store = ProfileStore(folder.locations)
    }

    @Test func `root installs for the device; what somebody else could have written is faulty`() throws {
        try store.install(StoreProfile.file("test.good", urls: ["https://a.test/"]), into: .device)
        for (name, mode, owner) in [("open", 0o664, 0), ("foreign", 0o644, 65_534)] as [(String, mode_t, uid_t)] {
            try folder.put(
                StoreProfile.file("test.\(name)", urls: ["https://\(name).test/"]), at: "device/\(name).mobileconfig",
                mode: mode)
            #expect(chown("\(folder.device)/\(name).mobileconfig", owner, 0) == 0)
        }
        let loaded = store.load()
        #expect(loaded.entries.map(\.profile.identifier) == ["test.good"])
        #expect(loaded.entries.first?.kind == .device)
        #expect(loaded.faulty.count == 2)
        #expect(try folder.mode(of: folder.device) == 0o755)
    }

    @Test func `a folder above the device's that is not root's makes it count for nothing`() throws {
        try store.install(StoreProfile.file("test.good", urls: ["https://a.test/"]), into: .device)
        #expect(chown(folder.path, 65_534, 0) == 0)
        #expect(store.load().entries.isEmpty)
        #expect(store.load().faulty.first?.problem.hasPrefix(folder.path) == true)
    }

    @Test func `profiles of the device come before the user's, however old those say they are`() throws {
        try folder.put(Data(#"{"allowUserProfiles": true}"#.utf8), at: "policy.json")
        try store.install(StoreProfile.file("test.mine", urls: ["https://id.test/"]), into: .user)
        try folder.put(
            StoreProfile.file("test.mine", urls: ["https://id.test/"]), at: "user/test.mine.mobileconfig",
            age: 1_000_000)
        try store.install(StoreProfile.file("test.device", urls: ["https://id.test/"]), into: .device)
        let loaded = store.load()
        #expect(loaded.entries.map(\.profile.identifier) == ["test.device"])
        #expect(loaded.faulty.map(\.identifier) == ["test.mine"])
        // A user cannot install a profile with the identifier of one of the device's.
        #expect(throws: ProfileStore.InstallationError.self) {
            try store.install(StoreProfile.file("test.device", urls: ["https://other.test/"]), into: .user)
        }
    }

    @Test(arguments: [
        ("[]", "no JSON object"), (#"{"allowUserProfile": true}"#, "Did you mean allowUserProfiles?"),
        (#"{"allowUserProfiles": "yes"}"#, "true or false"), (#"{"requireSignature": true}"#, "names no signers"),
        (#"{"signers": ["/nowhere.pem"]}"#, "/nowhere.pem"), ("{", "no JSON object"),
    ])
    func `a policy that cannot be relied on stops all profiles and says why`(_ text: String, _ words: String) throws {
        try store.install(StoreProfile.file("test.good", urls: ["https://a.test/"]), into: .device)
        try folder.put(Data(text.utf8), at: "policy.json")
        #expect(store.load().entries.isEmpty)
        #expect(store.load().faulty.map(\.source) == [folder.locations.policy])
        #expect(store.load().faulty.first?.problem.contains(words) == true, "\(store.load().faulty)")
        #expect(throws: ProfileStore.InstallationError.self) {
            try store.install(StoreProfile.file("test.b", urls: ["https://b.test/"]), into: .device)
        }
    }

    @Test func `files that are put into the folder for that count, by their names, after what was installed`() throws {
        // Neither the time of a file nor the order of writing matters there.
        try folder.put(StoreProfile.file("test.b", urls: ["https://id.test/"]), at: "sso.d/20-b.mobileconfig", age: 500)
        try folder.put(StoreProfile.file("test.a", urls: ["https://id.test/"]), at: "sso.d/10-a.mobileconfig", age: 5)
        try folder.put(StoreProfile.file("test.c", urls: ["https://c.test/"]), at: "sso.d/30-c.mobileconfig", age: 900)
        try folder.put(Data("no profile".utf8), at: "sso.d/README")
        #expect(store.load().entries.map(\.profile.identifier) == ["test.a", "test.c"])
        #expect(store.load().entries.allSatisfy { $0.kind == .device })
        #expect(store.load().faulty.map(\.identifier) == ["test.b"])

        try store.install(StoreProfile.file("test.installed", urls: ["https://d.test/"]), into: .device)
        try folder.put(StoreProfile.file("test.d", urls: ["https://d.test/"]), at: "sso.d/00-d.mobileconfig", age: 900)
        let loaded = store.load()
        #expect(loaded.entries.map(\.profile.identifier) == ["test.installed", "test.a", "test.c"])
        #expect(loaded.faulty.map(\.source) == ["00-d", "20-b"].map { "\(folder.dropIns)/\($0).mobileconfig" })
        #expect(try store.remove(identifier: "test.a", from: .device) == ["\(folder.dropIns)/10-a.mobileconfig"])
        #expect(store.load().entries.map(\.profile.identifier) == ["test.installed", "test.b", "test.c"])
    }

    @Test func `of two with the same identifier the installed one counts, and both files are named`() throws {
        try store.install(StoreProfile.file("test.one", urls: ["https://one.test/"]), into: .device)
        try folder.put(StoreProfile.file("test.one", urls: ["https://two.test/"]), at: "sso.d/one.mobileconfig")
        let loaded = store.load()
        #expect(loaded.payloads.flatMap(\.urls).map(\.text) == ["https://one.test/"])
        #expect(loaded.faulty.map(\.source) == ["\(folder.dropIns)/one.mobileconfig"])
        #expect(loaded.faulty.first?.problem.contains("\(folder.device)/test.one.mobileconfig") == true)
        #expect(loaded.faulty.first?.problem.contains("Remove one of them") == true)
    }

    @Test func `what somebody has put there is not overwritten by an installation`() throws {
        let there = StoreProfile.file("test.one", urls: ["https://one.test/"])
        try folder.put(there, at: "sso.d/one.mobileconfig")
        #expect {
            try store.install(StoreProfile.file("test.one", urls: ["https://two.test/"]), into: .device)
        } throws: { "\($0)".contains("\(folder.dropIns)/one.mobileconfig") }
        #expect(FileManager.default.contents(atPath: "\(folder.dropIns)/one.mobileconfig") == there)
        #expect(store.load().payloads.flatMap(\.urls).map(\.text) == ["https://one.test/"])
    }

    @Test func `a drop-in that others could have written is faulty, and in such a folder nothing counts`() throws {
        try folder.put(StoreProfile.file("test.good", urls: ["https://a.test/"]), at: "sso.d/good.mobileconfig")
        try folder.put(
            StoreProfile.file("test.open", urls: ["https://b.test/"]), at: "sso.d/open.mobileconfig", mode: 0o664)
        try folder.put(StoreProfile.file("test.foreign", urls: ["https://c.test/"]), at: "sso.d/foreign.mobileconfig")
        #expect(chown("\(folder.dropIns)/foreign.mobileconfig", 65_534, 0) == 0)
        try folder.put(Data("<html></html>".utf8), at: "sso.d/page.mobileconfig")
        var loaded = store.load()
        #expect(loaded.entries.map(\.profile.identifier) == ["test.good"])
        let faults = Dictionary(loaded.faulty.map { ($0.source, $0.problem) }) { $1 }
        #expect(faults.count == 3)
        #expect(faults["\(folder.dropIns)/open.mobileconfig"]?.contains("chmod go-w") == true)
        #expect(faults["\(folder.dropIns)/foreign.mobileconfig"]?.contains("chown") == true)

        #expect(chmod(folder.dropIns, 0o777) == 0)
        loaded = store.load()
        #expect(loaded.entries.isEmpty && loaded.faulty.map(\.source) == [folder.dropIns])
        #expect(loaded.faulty.first?.problem.contains("chmod go-w") == true)
    }

    @Test func `signatures are asked for there too`() throws {
        let certificates = try TestCertificates()
        let signer = try certificates.certificate("Acme Profile Signing")
        try folder.put(signer.pem, at: "acme.pem")
        let plain = StoreProfile.file("test.plain", urls: ["https://a.test/"])
        try folder.put(plain, at: "sso.d/plain.mobileconfig")
        try folder.put(try certificates.sign(plain, with: [signer]), at: "sso.d/signed.mobileconfig")
        try folder.put(
            Data(#"{"signers": ["\#(folder.path)/acme.pem"], "requireSignature": true}"#.utf8), at: "policy.json")
        let loaded = store.load()
        #expect(loaded.entries.map(\.source) == ["\(folder.dropIns)/signed.mobileconfig"])
        #expect(loaded.entries.map(\.signer) == ["Acme Profile Signing"])
        #expect(loaded.faulty.map(\.source) == ["\(folder.dropIns)/plain.mobileconfig"])
    }

    @Test func `where the policy asks for signatures, only profiles that are signed count`() throws {
        let certificates = try TestCertificates()
        let signer = try certificates.certificate("Acme Profile Signing")
        try folder.put(signer.pem, at: "acme.pem")
        let unsigned = StoreProfile.file("test.plain", urls: ["https://a.test/"])
        try store.install(unsigned, into: .device)
        try folder.put(
            Data(#"{"signers": ["\#(folder.path)/acme.pem"], "requireSignature": true}"#.utf8), at: "policy.json")
        #expect(store.load().entries.isEmpty)
        #expect(store.load().faulty.map(\.identifier) == ["test.plain"])
        #expect(throws: ProfileStore.InstallationError.self) { try store.install(unsigned, into: .device) }
        let signed = try certificates.sign(
            StoreProfile.file("test.signed", urls: ["https://b.test/"]), with: [signer])
        let done = try store.install(signed, into: .device)
        #expect(done.entry.signer == "Acme Profile Signing")
        #expect(store.load().entries.map(\.signer) == ["Acme Profile Signing"])
        // A certificate that others may write to does not count.
        #expect(chmod("\(folder.path)/acme.pem", 0o666) == 0)
        #expect(store.load().entries.isEmpty)
    }
}

/// A folder with `device`, `user` and `policy.json`, which is deleted with this object.
final class StoreFolder: Sendable {
    let path: String

    init() throws {
        path = FileManager.default.temporaryDirectory.appendingPathComponent("lanyard-\(UUID())").path
        guard mkdir(path, 0o755) == 0 else { throw CocoaError(.fileWriteUnknown) }
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    var device: String { "\(path)/device" }
    var dropIns: String { "\(path)/sso.d" }
    var user: String { "\(path)/user" }
    var locations: ProfileStore.Locations {
        ProfileStore.Locations(device: device, dropIns: dropIns, user: user, policy: "\(path)/policy.json")
    }

    /// Writes a file.
    /// - Parameter age: how long ago it was changed, in seconds.
    func put(_ data: Data, at name: String, mode: mode_t = 0o644, age: Int = 0) throws {
        let file = URL(fileURLWithPath: "\(path)/\(name)")
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o755])
        try data.write(to: file)
        chmod(file.path, mode)
        try FileManager.default.setAttributes(
            [.modificationDate: Date().addingTimeInterval(TimeInterval(-age))], ofItemAtPath: file.path)
    }

    func mode(of path: String) throws -> mode_t {
        var status = stat()
        try #require(lstat(path, &status) == 0)
        return status.st_mode & 0o7777
    }

    /// The contents of all files by path.
    func contents() throws -> [String: Data] {
        var found: [String: Data] = [:]
        for name in try FileManager.default.subpathsOfDirectory(atPath: path) {
            found[name] = FileManager.default.contents(atPath: "\(path)/\(name)") ?? Data()
        }
        return found
    }
}

enum StoreProfile {
    static func file(_ identifier: String, urls: [String] = [], hosts: [String] = [], app: String? = nil) -> Data {
        ProfileDescription(
            identifier: identifier, extensionIdentifier: "\(identifier).extension", teamIdentifier: "ACME123456",
            hostAppIdentifier: app, urls: urls, hosts: hosts
        ).profile.xml
    }

    /// A profile made without an encoder, so that thousands can be written quickly.
    static func small(_ number: Int) -> Data {
        let uuid = String(format: "4B1C6C3E-0000-4000-8000-%012X", number * 2)
        let other = String(format: "4B1C6C3E-0000-4000-8000-%012X", number * 2 + 1)
        return Data(
            """
            <plist version="1.0"><dict><key>PayloadType</key><string>Configuration</string>
            <key>PayloadIdentifier</key><string>test.n\(number)</string><key>PayloadUUID</key><string>\(uuid)</string>
            <key>PayloadContent</key><array><dict><key>PayloadType</key><string>\(SingleSignOnPayload.type)</string>
            <key>PayloadIdentifier</key><string>test.n\(number).one</string><key>PayloadUUID</key><string>\(other)</string>
            <key>ExtensionIdentifier</key><string>test.extension</string><key>Type</key><string>Redirect</string>
            <key>URLs</key><array><string>https://n\(number).test/</string></array></dict></array></dict></plist>
            """.utf8)
    }
}
