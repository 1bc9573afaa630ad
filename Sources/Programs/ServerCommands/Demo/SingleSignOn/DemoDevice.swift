import Foundation
import ServerHTTP
import SingleSignOn
import SingleSignOnWire

/// A simulated device in a folder, with its own profile, extension, browser and broker. It does not use or change those
/// of the machine.
struct DemoDevice: Sendable {
    let folder: String
    let socket: String
    /// The folder of the unpacked browser extension.
    let browserExtension: String
    /// The browser's own folder, in which the native host is registered.
    let browserProfile: String
    private let browser: String

    init(in folder: String) {
        self.folder = folder
        socket = "\(folder)/sso.sock"
        browser = "\(folder)/browser"
        // The places to which `lanyard-sso browser-policy --user` writes for a person with this home folder.
        browserExtension = "\(browser)/.local/share/lanyard/browser/chromium"
        browserProfile = "\(browser)/.config/chromium"
    }

    private var profiles: String { "\(folder)/profiles" }
    private var extensions: String { "\(folder)/extensions" }
    /// The options with the folders of profiles, which the broker and the commands share.
    private var places: [String] {
        ["--device-profiles", "\(folder)/none", "--user-profiles", profiles, "--allow-user-profiles"]
    }

    /// Writes the profile, the extension's manifest and the browser's files.
    func setUp(for configuration: ServerConfiguration, organization: String, authority: DemoAuthority) throws {
        try installProfile(for: configuration, organization: organization, authority: authority)
        try installExtension()
        try lanyardSSO(
            ["browser-policy", "--user", "--browser", "chromium", "--allowed-host", DemoAuthority.host],
            environment: ["HOME": browser])
    }

    /// Runs `lanyard-sso` on the demo's device.
    /// - Throws: ``Failure`` if it fails.
    @discardableResult
    func lanyardSSO(_ arguments: [String], environment: [String: String] = [:]) throws -> Data {
        try InstalledProgram.run(
            try InstalledProgram.path(of: "lanyard-sso"), arguments,
            environment: ["LANYARD_SSO_SOCKET": socket].merging(environment) { $1 })
    }

    /// Whether a broker answers and the association file of the server's domain allows the extension.
    var isCovered: Bool {
        struct Status: Decodable { let urls: [String] }
        let status = (try? lanyardSSO(["status", "--json"])).flatMap {
            try? JSONDecoder().decode(Status.self, from: $0)
        }
        return status?.urls.isEmpty == false
    }

    private func installProfile(
        for configuration: ServerConfiguration, organization: String, authority: DemoAuthority
    ) throws {
        let description = try ServerProfile(configuration: configuration, organizationName: organization).description(
            identifier: nil, displayName: nil, extensionIdentifier: nil, teamIdentifier: nil, hostAppIdentifier: nil,
            clientID: nil, data: ["certificateAuthorities": .array([.string(authority.authority)])])
        let file = "\(folder)/demo.mobileconfig"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try description.checked().xml.write(to: URL(fileURLWithPath: file), options: .atomic)
        try lanyardSSO(["profile", "install", "--user"] + places + ["--policy", "\(folder)/none/policy.json", file])
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
        let manifest = try JSONEncoder().encode(Manifest(executable: try InstalledProgram.path(of: "lanyard-openid")))
        try manifest.write(to: URL(fileURLWithPath: "\(extensions)/\(ServerProfile.extension).json"), options: .atomic)
    }

    /// - Parameters:
    ///   - port: port of the server, from which the broker gets the association file.
    ///   - browser: nil if there is none. Requests that would have to ask the person then fail instead of waiting.
    func broker(
        port: Int, authority: DemoAuthority, client: String, showingPagesWith browser: String?
    ) throws -> DemoProcess {
        DemoProcess(
            "The broker", program: try InstalledProgram.path(of: "lanyard-broker"),
            arguments: [
                "--socket", socket, "--extensions", extensions, "--state", "\(folder)/state", "--author",
                "--extra-roots", authority.authorityFile, "--domain-address", "\(DemoAuthority.host)=127.0.0.1",
                "--domain-port", "\(port)", "--bridge", try InstalledProgram.path(of: "lanyard-sso"),
                "--terminal-program",
                client,
            ] + places + (browser.map { ["--browser", $0] } ?? []), log: "\(folder)/broker.log")
    }

    /// The arguments of the browser, with which it has the extension and a profile folder of its own.
    func browserArguments(authority: DemoAuthority) throws -> [String] {
        [
            "--user-data-dir=\(browserProfile)", "--load-extension=\(browserExtension)",
            "--disable-features=DisableLoadExtensionCommandLineSwitch", "--no-first-run", "--no-default-browser-check",
            // For loading the server's own pages, after “Continue on the web” was pressed.
            "--ignore-certificate-errors-spki-list=\(try authority.keyHash())",
        ] + (geteuid() == 0 ? ["--no-sandbox"] : [])
    }
}
