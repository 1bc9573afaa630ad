import BrowserExtension
import Foundation
import ServerHTTP
import SingleSignOn
import SingleSignOnWire

/// A device in a folder: profile, extension, browser and broker, none of which touches the machine's own.
struct DemoDevice: Sendable {
    let folder: String
    let socket: String
    /// Of the browser's extension, unpacked.
    let browserExtension: String
    /// The browser's own folder, which knows the native host.
    let browserProfile: String
    private let browser: String

    init(in folder: String) {
        self.folder = folder
        socket = "\(folder)/sso.sock"
        browser = "\(folder)/browser"
        let layout = BrowserLayout(scope: .user(home: browser))
        browserExtension = layout.unpacked(.chromium)
        browserProfile = (layout.hostManifest(.chromium) as NSString).deletingLastPathComponent
            .replacingOccurrences(of: "/NativeMessagingHosts", with: "")
    }

    private var profiles: String { "\(folder)/profiles" }
    private var extensions: String { "\(folder)/extensions" }

    /// Writes profile, manifest and the browser's files.
    func setUp(for configuration: ServerConfiguration, organization: String, authority: DemoAuthority) throws {
        try installProfile(for: configuration, organization: organization, authority: authority)
        try installExtension()
        let own = try DemoProcess.path(of: "lanyard")
        let plan = try BrowserPlan(
            layout: BrowserLayout(scope: .user(home: browser)), browsers: [.chromium], program: own, identity: nil,
            settings: .init(allowedHosts: [DemoAuthority.host]))
        _ = try InstalledFiles(root: "").write(plan.files)
    }

    private func installProfile(
        for configuration: ServerConfiguration, organization: String, authority: DemoAuthority
    ) throws {
        let description = try ServerProfile(configuration: configuration, organizationName: organization).description(
            identifier: nil, displayName: nil, extensionIdentifier: nil, teamIdentifier: nil, hostAppIdentifier: nil,
            clientID: nil, data: ["certificateAuthorities": .array([.string(authority.authority)])])
        let store = ProfileStore(
            .init(device: "\(folder)/none", user: profiles, policy: "\(folder)/none/policy.json"),
            allowsUserProfiles: true)
        do {
            try store.install(description.profile.xml, into: .user)
        } catch {
            throw Failure("The profile was not installed: \(error)")
        }
    }

    private func installExtension() throws {
        struct Manifest: Encodable {
            let extensionIdentifier = ServerProfile.extension
            let hostAppIdentifier = ServerProfile.app
            let teamIdentifier = ServerProfile.team
            let displayName = "Lanyard"
            let acceptsManagedDomains = true
            let executable: String
        }
        try FileManager.default.createDirectory(atPath: extensions, withIntermediateDirectories: true)
        let manifest = try JSONEncoder().encode(Manifest(executable: try DemoProcess.path(of: "lanyard-openid")))
        try manifest.write(to: URL(fileURLWithPath: "\(extensions)/\(ServerProfile.extension).json"), options: .atomic)
    }

    /// - Parameters:
    ///   - port: of the server, where its association file is.
    ///   - browser: nil if there is none, so that whoever cannot be asked hears so.
    func broker(
        port: Int, authority: DemoAuthority, client: String, showingPagesWith browser: String?
    ) throws -> DemoProcess {
        DemoProcess(
            "The broker", program: try DemoProcess.path(of: "lanyard-broker"),
            arguments: [
                "--socket", socket, "--device-profiles", "\(folder)/none", "--user-profiles", profiles,
                "--allow-user-profiles", "--extensions", extensions, "--state", "\(folder)/state", "--author",
                "--extra-roots", authority.authorityFile, "--domain-address", "\(DemoAuthority.host)=127.0.0.1",
                "--domain-port", "\(port)", "--bridge", try DemoProcess.path(of: "lanyard"), "--terminal-program",
                client,
            ] + (browser.map { ["--browser", $0] } ?? []), log: "\(folder)/broker.log")
    }

    /// What the browser is started with, so that it has the extension and no trace of another browser's.
    func browserArguments(authority: DemoAuthority) throws -> [String] {
        [
            "--user-data-dir=\(browserProfile)", "--load-extension=\(browserExtension)",
            "--disable-features=DisableLoadExtensionCommandLineSwitch", "--no-first-run", "--no-default-browser-check",
            // For who presses “Continue on the web”.
            "--ignore-certificate-errors-spki-list=\(try authority.keyHash())",
        ] + (geteuid() == 0 ? ["--no-sandbox"] : [])
    }
}
