import BrowserExtension
import CommandOutput
import Ground

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

#if canImport(Glibc)
    import Glibc
#endif

/// A file to be written.
struct PlannedFile: Sendable {
    let path: String
    let content: Data
    var mode: mode_t = 0o644
    /// Whether the file may belong to somebody else. It is then replaced only if it contains nothing but our settings.
    var isShared = false
    /// Whether its content is shown to the person before it is written.
    var isShownWhole = false

    var text: String? { String(data: content, encoding: .utf8) }
}

/// The files that the browsers of a device need.
struct BrowserPlan {
    struct Settings {
        /// For Chromium: the hosts whose requests the extension may change. Names, names after `*.`, or `*` for all.
        var allowedHosts: [String] = []
        /// The manifest that is installed for Chromium, if there is one.
        var previousManifest: Data?
        var updateURL: String?
        var installURL: String?
        var allowsUnsigned = false
        /// Whether Firefox finds the extension where Debian's takes it from, rather than by a policy.
        var isHeldForFirefox: Bool { installURL == nil && !allowsUnsigned }
        /// The hosts of payloads for Kerberos, to which browsers may answer with tickets: names, or suffixes with a dot.
        var negotiateHosts: [String] = []

        /// In the notation of Chromium, in which a dot alone would do for a suffix but is not documented.
        fileprivate var chromiumAllowlist: String? {
            negotiateHosts.isEmpty
                ? nil : negotiateHosts.map { $0.hasPrefix(".") ? "*\($0)" : $0.inURL }.joined(separator: ",")
        }
        /// In that of Firefox.
        fileprivate var firefoxAllowlist: [String]? {
            negotiateHosts.isEmpty ? nil : negotiateHosts.map(\.inURL)
        }
    }

    let layout: BrowserLayout
    private(set) var files: [PlannedFile] = []
    /// Steps that people have to do by hand.
    private(set) var nextSteps: [String] = []

    /// - Parameters:
    ///   - program: the absolute path of lanyard-sso.
    ///   - identity: nil if the extension is not packed for Chromium. Its id then follows from the key in the manifest.
    init(
        layout: BrowserLayout, browsers: [Browser], program: String, identity: SigningIdentity?, settings: Settings
    ) throws {
        self.layout = layout
        let script = """
            #!/bin/sh
            # Browsers start this for the extension and give it arguments of their own.
            exec '\(program)' native-host "$@"

            """
        files.append(
            PlannedFile(path: layout.hostProgram, content: Data(script.utf8), mode: 0o755, isShownWhole: true))
        for engine in BrowserExtension.Engine.allCases where browsers.contains(where: { $0.engine == engine }) {
            try addExtension(for: engine, identity: identity, settings: settings)
        }
        if case .user = layout.scope, !settings.negotiateHosts.isEmpty {
            nextSteps.append(
                """
                Kerberos: which hosts get tickets, browsers take from the system's policies alone. Have an administrator run \
                browser-policy --install.
                """)
        }
        for browser in browsers {
            try add(browser, chromiumID: try Self.chromiumID(identity), settings: settings)
        }
    }

    /// The extension's id, from the signing key or else from the key in the manifest.
    private static func chromiumID(_ identity: SigningIdentity?) throws -> String {
        if let identity { return identity.extensionID }
        let manifest = try BrowserManifest(of: .chromium)
        guard let key = manifest.key else { throw Failure("The extension's manifest has no key.") }
        return SigningIdentity.extensionID(ofPublicKey: key)
    }

    private mutating func addExtension(
        for engine: BrowserExtension.Engine, identity: SigningIdentity?, settings: Settings
    ) throws {
        var manifest = try BrowserManifest(of: engine)
        manifest.version = Version.text
        if engine == .chromium {
            if let identity { manifest.key = identity.publicKey }
            manifest.hostPermissions = Set(settings.allowedHosts).sorted().map { "*://\($0)/*" }
            if let previous = settings.previousManifest.flatMap({ try? BrowserManifest(reading: $0) }) {
                manifest.continueVersion(of: previous)
            }
        }
        var contents = BrowserExtension.files(for: engine)
        contents[0] = .init(path: "manifest.json", content: Array(try manifest.encoded()))
        let folder = layout.unpacked(engine)
        files += contents.map { PlannedFile(path: "\(folder)/\($0.path)", content: Data($0.content)) }
        switch engine {
        case .firefox:
            let package = ZipArchive.data(of: contents)
            files.append(PlannedFile(path: layout.packedForFirefox, content: package))
            if settings.isHeldForFirefox, let path = layout.heldForFirefox {
                files.append(PlannedFile(path: path, content: package))
            }
        case .chromium:
            guard let identity else {
                nextSteps.append(
                    "Chromium, Chrome, Edge: open the page of extensions, turn developer mode on, and load \(folder).")
                return
            }
            let package = try identity.chromiumPackage(of: ZipArchive.data(of: contents))
            files.append(PlannedFile(path: layout.packedForChromium, content: package))
            let updates = Self.updates(
                id: identity.extensionID, version: manifest.version,
                package: Self.packageURL(settings.updateURL, layout: layout))
            files.append(PlannedFile(path: layout.updates, content: Data(updates.utf8)))
        }
    }

    /// The URL of the package, which is in the same folder as the list of updates.
    private static func packageURL(_ updateURL: String?, layout: BrowserLayout) -> String {
        guard let updateURL, let url = URL(string: updateURL) else { return "file://\(layout.packedForChromium)" }
        return url.deletingLastPathComponent().appendingPathComponent("lanyard-sso.crx").absoluteString
    }

    private static func updates(id: String, version: String, package: String) -> String {
        let address = package.replacing("&", with: "&amp;").replacing("'", with: "&apos;").replacing("<", with: "&lt;")
        return """
            <?xml version='1.0' encoding='UTF-8'?>
            <gupdate xmlns='http://www.google.com/update2/response' protocol='2.0'>
              <app appid='\(id)'>
                <updatecheck codebase='\(address)' version='\(version)'/>
              </app>
            </gupdate>

            """
    }

    private mutating func add(_ browser: Browser, chromiumID: String, settings: Settings) throws {
        let manifest = HostManifest(
            path: layout.hostProgram,
            allowed_origins: browser.engine == .chromium ? ["chrome-extension://\(chromiumID)/"] : nil,
            allowed_extensions: browser.engine == .firefox ? [BrowserLayout.firefoxID] : nil)
        files.append(try Self.json(manifest, at: layout.hostManifest(browser)))
        guard let path = layout.policy(browser) else {
            if browser == .firefox {
                nextSteps.append(
                    """
                    Firefox: open about:debugging, This Firefox, and load \(layout.unpacked(.firefox))/manifest.json; it \
                    stays until Firefox ends.
                    """
                )
            }
            return
        }
        switch browser.engine {
        case .chromium:
            // `runtime_blocked_hosts` is not used, because it would also block navigations that start at a link on a
            // blocked site.
            let entry = ChromiumPolicy.Extension(
                installation_mode: "force_installed", update_url: settings.updateURL ?? "file://\(layout.updates)",
                toolbar_pin: browser == .edge ? nil : "force_pinned",
                toolbar_state: browser == .edge ? "force_shown" : nil)
            let policy = ChromiumPolicy(
                ExtensionSettings: [chromiumID: entry], AuthServerAllowlist: settings.chromiumAllowlist)
            files.append(try Self.json(policy, at: path))
        case .firefox:
            // A policy that installs by force has Firefox fetch the file, and then the signature counts.
            let entry =
                settings.isHeldForFirefox
                ? FirefoxPolicy.Extension(installation_mode: "allowed", install_url: nil)
                : FirefoxPolicy.Extension(
                    installation_mode: "force_installed",
                    install_url: settings.installURL ?? "file://\(layout.packedForFirefox)")
            let policy = FirefoxPolicy(
                policies: .init(
                    Authentication: settings.firefoxAllowlist.map { .init(SPNEGO: $0) },
                    ExtensionSettings: [BrowserLayout.firefoxID: entry],
                    Extensions: settings.isHeldForFirefox ? .init(Locked: [BrowserLayout.firefoxID]) : nil,
                    Preferences: settings.allowsUnsigned
                        ? ["xpinstall.signatures.required": .init(Value: false, Status: "locked")] : nil))
            files.append(try Self.json(policy, at: path, isShared: true))
            if settings.isHeldForFirefox {
                nextSteps.append(
                    """
                    Debian's Firefox ESR takes the extension as it is. Any other Firefox takes what Mozilla has signed: have \
                    \(layout.packedForFirefox) signed, and name it with --install-url.
                    """
                )
            }
        }
    }

    private static func json(_ value: some Encodable, at path: String, isShared: Bool = false) throws -> PlannedFile {
        let content = try JSONEncoder.readable.encode(value) + Data("\n".utf8)
        return PlannedFile(path: path, content: content, isShared: isShared, isShownWhole: true)
    }
}

// The property names are those of the browsers.
// swift-format-ignore: AlwaysUseLowerCamelCase
private struct HostManifest: Encodable {
    let name = BrowserLayout.hostName
    let description = "Carries messages between the browser and Lanyard's single sign-on."
    let path: String
    let type = "stdio"
    let allowed_origins: [String]?
    let allowed_extensions: [String]?
}

// swift-format-ignore: AlwaysUseLowerCamelCase
private struct ChromiumPolicy: Encodable {
    struct Extension: Encodable {
        let installation_mode: String
        let update_url: String
        // The toolbar button must be visible, because it shows when there is no native host. Edge has a different key
        // for it.
        let toolbar_pin: String?
        let toolbar_state: String?
    }
    let ExtensionSettings: [String: Extension]
    let AuthServerAllowlist: String?
}

// swift-format-ignore: AlwaysUseLowerCamelCase
private struct FirefoxPolicy: Encodable {
    struct Extension: Encodable {
        let installation_mode: String
        let install_url: String?
    }
    /// Extensions that people can neither turn off nor remove.
    struct Extensions: Encodable {
        let Locked: [String]
    }
    struct Preference: Encodable {
        let Value: Bool
        let Status: String
    }
    struct Authentication: Encodable {
        let SPNEGO: [String]
    }
    struct Policies: Encodable {
        let Authentication: Authentication?
        let ExtensionSettings: [String: Extension]
        let Extensions: Extensions?
        let Preferences: [String: Preference]?
    }
    let policies: Policies
}

extension String {
    /// A host as it stands in a URL: an IPv6 address in brackets.
    fileprivate var inURL: String { contains(":") ? "[\(self)]" : self }
}
