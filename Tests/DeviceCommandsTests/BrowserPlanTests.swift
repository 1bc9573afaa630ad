import BrowserExtension
import CommandOutput
import Crypto
import CryptoExtras
import Foundation
import Testing

@testable import DeviceCommands

@Suite("What a device's browsers need")
struct BrowserPlanTests {
    /// One for all tests: making an RSA key takes seconds without optimization, on a thread that other tests wait for.
    static let identity = Result { try SigningIdentity.unsaved() }

    private static func plan(
        _ browsers: [Browser], scope: BrowserLayout.Scope = .system, identity: SigningIdentity? = nil,
        settings: BrowserPlan.Settings = .init(allowedHosts: ["id.acme.test"])
    ) throws -> BrowserPlan {
        try BrowserPlan(
            layout: BrowserLayout(scope: scope), browsers: browsers, program: "/usr/bin/lanyard-sso",
            identity: identity, settings: settings)
    }

    private static func json(_ path: String, in plan: BrowserPlan) throws -> [String: Any] {
        let file = try #require(plan.files.first { $0.path == path }, "\(path)")
        return try #require(try JSONSerialization.jsonObject(with: file.content) as? [String: Any])
    }

    @Test("Whatever is written, the same browsers' files can be taken away again", arguments: Browser.allCases)
    func removable(_ browser: Browser) throws {
        let identity = try BrowserPlanTests.identity.get()
        for browsers in [[browser], Browser.allCases] {
            let plan = try Self.plan(browsers, identity: identity)
            let removable = Set(plan.layout.files(for: browsers, keepingThoseOf: []))
            #expect(Set(plan.files.map(\.path)).isSubset(of: removable))
            let (paths, unique) = (plan.files.map(\.path), Set(plan.files.map(\.path)))
            #expect(paths.count == unique.count)
        }
    }

    @Test("Taking one browser away leaves what the others need")
    func shared() {
        let layout = BrowserLayout(scope: .system)
        let gone = Set(layout.files(for: [.chrome], keepingThoseOf: [.edge]))
        #expect(!gone.contains(layout.hostProgram) && !gone.contains(layout.packedForChromium))
        #expect(gone.contains(layout.hostManifest(.chrome)))
        #expect(layout.files(for: Browser.allCases, keepingThoseOf: []).contains(layout.hostProgram))
        let beside = Set(layout.files(for: [.chromium, .chrome], keepingThoseOf: [.firefox]))
        #expect(beside.contains(layout.packedForChromium) && !beside.contains(layout.packedForFirefox))
        #expect(!beside.contains(layout.hostProgram))
    }

    @Test("The native host lets in this extension alone, and starts the program")
    func host() throws {
        let identity = try BrowserPlanTests.identity.get()
        let plan = try Self.plan([.chromium, .firefox], identity: identity)
        let manifest = try Self.json(plan.layout.hostManifest(.chromium), in: plan)
        #expect(manifest["allowed_origins"] as? [String] == ["chrome-extension://\(identity.extensionID)/"])
        #expect(manifest["allowed_extensions"] == nil)
        let other = try Self.json(plan.layout.hostManifest(.firefox), in: plan)
        #expect(other["allowed_extensions"] as? [String] == [BrowserLayout.firefoxID])
        let script = try #require(plan.files.first { $0.path == plan.layout.hostProgram })
        #expect(script.mode == 0o755)
        #expect(script.text?.contains("exec '/usr/bin/lanyard-sso' native-host \"$@\"") == true)
    }

    @Test("The extension may touch the hosts that are named, and no others")
    func hosts() throws {
        let plan = try Self.plan([.chromium], settings: .init(allowedHosts: ["b.test", "*.a.test", "b.test"]))
        let manifest = try Self.json("\(plan.layout.unpacked(.chromium))/manifest.json", in: plan)
        #expect(manifest["host_permissions"] as? [String] == ["*://*.a.test/*", "*://b.test/*"])
    }

    @Test("Other hosts raise the version, the same hosts keep it, and so does a new release")
    func versions() throws {
        var previous = try BrowserManifest(of: .chromium)
        previous.version = Version.text
        previous.hostPermissions = ["*://a.test/*"]
        func version(hosts: [String], after previous: BrowserManifest) throws -> String {
            let plan = try Self.plan(
                [.chromium], settings: .init(allowedHosts: hosts, previousManifest: try previous.encoded()))
            let manifest = try Self.json("\(plan.layout.unpacked(.chromium))/manifest.json", in: plan)
            return try #require(manifest["version"] as? String)
        }
        #expect(try version(hosts: ["a.test"], after: previous) == Version.text)
        #expect(try version(hosts: ["b.test"], after: previous) == "\(Version.text).1")
        previous.version = "\(Version.text).4"
        #expect(try version(hosts: ["b.test"], after: previous) == "\(Version.text).5")
        previous.version = "0.0.9.7"
        #expect(try version(hosts: ["b.test"], after: previous) == Version.text)
    }

    @Test("The hosts of profiles for Kerberos get tickets, as each browser writes them, and no others")
    func negotiate() throws {
        let settings = BrowserPlan.Settings(
            allowedHosts: ["a.test"], negotiateHosts: [".corp.test", "2001:db8::1", "intranet.acme.test"])
        let plan = try Self.plan(Browser.allCases, settings: settings)
        for browser in [Browser.chromium, .chrome, .edge] {
            let policy = try Self.json(try #require(plan.layout.policy(browser)), in: plan)
            #expect(policy["AuthServerAllowlist"] as? String == "*.corp.test,[2001:db8::1],intranet.acme.test")
            #expect(Set(policy.keys) == ["AuthServerAllowlist", "ExtensionSettings"])
        }
        let policies = try Self.json(try #require(plan.layout.policy(.firefox)), in: plan)["policies"] as? [String: Any]
        let firefox = policies?["Authentication"] as? [String: [String]]
        #expect(firefox == ["SPNEGO": [".corp.test", "[2001:db8::1]", "intranet.acme.test"]])

        // Without such a profile nothing is said of it.
        let without = try Self.plan(Browser.allCases)
        #expect(try Self.json(try #require(without.layout.policy(.chromium)), in: without).keys.count == 1)
        let other =
            try Self.json(try #require(without.layout.policy(.firefox)), in: without)["policies"] as? [String: Any]
        #expect(other?.keys.sorted() == ["ExtensionSettings", "Extensions"])
        // A person alone is told who can.
        let user = try Self.plan([.chromium], scope: .user(home: "/home/ana"), settings: settings)
        #expect(user.nextSteps.contains { $0.contains("Kerberos") })
    }

    @Test("People get no policies, but the words that say what to do")
    func user() throws {
        let plan = try Self.plan(Browser.allCases, scope: .user(home: "/home/ana"))
        #expect(plan.files.allSatisfy { $0.path.hasPrefix("/home/ana/") && !$0.path.contains("/policies/") })
        #expect(plan.nextSteps.count == 2)
    }

    @Test("An address that is put into XML cannot end its attribute")
    func updates() throws {
        let plan = try Self.plan(
            [.chromium], identity: try BrowserPlanTests.identity.get(),
            settings: .init(allowedHosts: ["a.test"], updateURL: "https://a.test/x'y&z/updates.xml"))
        let text = try #require(plan.files.first { $0.path == plan.layout.updates }?.text)
        #expect(text.contains("x&apos;y&amp;z/lanyard-sso.crx") || text.contains("x'y") == false)
    }
}

@Suite("The package for Chromium")
struct ChromiumPackageTests {
    @Test("The extension's id is the key's digest in letters from a to p")
    func identifier() {
        // SHA-256 of nothing begins with e3b0c442 98fc1c14 9afbf4c8 996fb924.
        #expect(SigningIdentity.extensionID(ofPublicKey: Data()) == "odlameecjipmbmbejkplpemijjgpljce")
    }

    @Test("The signature covers the archive, and the header names the key")
    func signature() throws {
        let identity = try BrowserPlanTests.identity.get()
        let zip = Data("an archive".utf8)
        let package = try identity.chromiumPackage(of: zip)
        #expect(package.prefix(8) == Data("Cr24".utf8) + [3, 0, 0, 0])
        #expect(package.suffix(zip.count) == zip)
        let length = package.dropFirst(8).prefix(4).enumerated().reduce(0) { $0 + Int($1.element) << (8 * $1.offset) }
        #expect(package.count == 12 + length + zip.count)
        let header = Data(package.dropFirst(12).prefix(length))
        #expect(header.range(of: identity.publicKey) != nil)

        // The last field is the signed data: number 10000, 22 bytes behind a tag of three bytes and a length of one.
        let signed = Data(header.suffix(22 - 4))
        let message = Data("CRX3 SignedData\0".utf8) + [18, 0, 0, 0] + signed + zip
        let key = try _RSA.Signing.PublicKey(derRepresentation: identity.publicKey)
        let start = try #require(header.range(of: identity.publicKey)).upperBound
        // Field 2 of the proof: a tag, a length of two bytes, and 256 bytes.
        let signature = _RSA.Signing.RSASignature(rawRepresentation: header[(start + 3)..<(start + 259)])
        #expect(key.isValidSignature(signature, for: SHA256.hash(data: message), padding: .insecurePKCS1v1_5))
    }
}

@Suite("ZIP archives")
struct ZipArchiveTests {
    @Test("The checksum is that of the standard")
    func checksum() {
        #expect(CyclicRedundancyCheck.of(Array("123456789".utf8)) == 0xCBF4_3926)
        #expect(CyclicRedundancyCheck.of([]) == 0)
    }

    @Test("The same files give the same bytes, which another program reads back")
    func readBack() throws {
        let files = [
            BrowserExtension.File(path: "manifest.json", content: Array("{}".utf8)),
            BrowserExtension.File(path: "icons/32.png", content: (0...255).map { UInt8($0) }),
            BrowserExtension.File(path: "empty.txt", content: []),
        ]
        let archive = ZipArchive.data(of: files)
        #expect(archive == ZipArchive.data(of: files))
        let path = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID()).zip").path
        defer { try? FileManager.default.removeItem(atPath: path) }
        try archive.write(to: URL(fileURLWithPath: path))
        let python = Process()
        python.executableURL = URL(fileURLWithPath: "/usr/bin/python3")
        python.arguments = [
            "-c",
            """
            import sys, zipfile
            archive = zipfile.ZipFile(sys.argv[1])
            assert archive.testzip() is None
            for info in archive.infolist():
                print(info.filename, archive.read(info).hex(), oct(info.external_attr >> 16), info.date_time)
            """, path,
        ]
        let output = Pipe()
        python.standardOutput = output
        try python.run()
        let said = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        python.waitUntilExit()
        #expect(python.terminationStatus == 0)
        let hex = (0...255).map { String(format: "%02x", $0) }.joined()
        #expect(
            said == """
                manifest.json 7b7d 0o100644 (1980, 1, 1, 0, 0, 0)
                icons/32.png \(hex) 0o100644 (1980, 1, 1, 0, 0, 0)
                empty.txt  0o100644 (1980, 1, 1, 0, 0, 0)

                """)
    }
}
