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
    /// - Parameter domain: nil if the second scene is left out.
    func setUp(
        for configuration: ServerConfiguration, organization: String, authority: DemoAuthority, domain: DemoDomain?
    ) throws {
        try installProfile(for: configuration, organization: organization, authority: authority)
        try installExtension(
            Manifest(
                extensionIdentifier: ServerProfile.extension, hostAppIdentifier: ServerProfile.app,
                teamIdentifier: ServerProfile.team, displayName: "Lanyard",
                executable: try InstalledProgram.path(of: "lanyard-openid")))
        if let domain { try installKerberos(domain, organization: organization) }
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
        try install(description, as: file)
    }

    private func install(_ description: ProfileDescription, as file: String) throws {
        try description.checked().xml.write(to: URL(fileURLWithPath: file), options: .atomic)
        try lanyardSSO(["profile", "install", "--user"] + places + ["--policy", "\(folder)/none/policy.json", file])
    }

    /// The profile of the domain, and the extension that it is for.
    private func installKerberos(_ domain: DemoDomain, organization: String) throws {
        let (identifier, team) = ("com.apple.AppSSOKerberos.KerberosExtension", "apple")
        try installExtension(
            Manifest(
                extensionIdentifier: identifier, hostAppIdentifier: "org.lanyard.kerberos", teamIdentifier: team,
                displayName: "Kerberos", executable: try InstalledProgram.path(of: "lanyard-kerberos")))
        try install(
            ProfileDescription(
                identifier: "localhost.maple.kerberos", displayName: "Domain of \(organization)",
                organization: organization, extensionIdentifier: identifier, teamIdentifier: team,
                hosts: [".maple.localhost"], realm: DemoDomain.realm,
                extensionData: [
                    "principalName": .string(domain.userName), "useSiteAutoDiscovery": .boolean(false),
                    "performKerberosOnly": .boolean(true),
                ]), as: "\(folder)/domain.mobileconfig")
    }

    private struct Manifest: Encodable {
        let extensionIdentifier: String
        let hostAppIdentifier: String
        let teamIdentifier: String
        let displayName: String
        let acceptsManagedDomains = true
        let executable: String
    }

    private func installExtension(_ manifest: Manifest) throws {
        try FileManager.default.createDirectory(atPath: extensions, withIntermediateDirectories: true)
        let file = URL(fileURLWithPath: "\(extensions)/\(manifest.extensionIdentifier).json")
        try JSONEncoder().encode(manifest).write(to: file, options: .atomic)
    }

    /// - Parameters:
    ///   - port: port of the server, from which the broker gets the association file.
    ///   - browser: nil if there is none. Requests that would have to ask the person then fail instead of waiting.
    func broker(
        port: Int, authority: DemoAuthority, domain: DemoDomain?, client: String, showingPagesWith browser: String?
    ) throws -> DemoProcess {
        DemoProcess(
            "The broker", program: try InstalledProgram.path(of: "lanyard-broker"),
            arguments: [
                "--socket", socket, "--extensions", extensions, "--state", "\(folder)/state", "--author",
                "--extra-roots", authority.authorityFile, "--domain-address", "\(DemoAuthority.host)=127.0.0.1",
                "--domain-port", "\(port)", "--bridge", try InstalledProgram.path(of: "lanyard-sso"),
                "--terminal-program",
                client,
            ] + places + (browser.map { ["--browser", $0] } ?? []),
            environment: domain.map { ["KRB5_CONFIG": $0.settings, "KRB5CCNAME": $0.tickets] } ?? [:],
            log: "\(folder)/broker.log")
    }

    /// The arguments of the browser, with which it has the extension and a profile folder of its own.
    func browserArguments(authority: DemoAuthority) throws -> [String] {
        [
            "--user-data-dir=\(browserProfile)", "--load-extension=\(browserExtension)",
            "--disable-features=DisableLoadExtensionCommandLineSwitch", "--no-first-run", "--no-default-browser-check",
            // For loading the server's own pages, after “Continue on the web” was pressed.
            "--ignore-certificate-errors-spki-list=\(try authority.keyHash())",
            // A policy says this to browsers of a whole device.
            "--auth-server-allowlist=*.maple.localhost",
        ] + (geteuid() == 0 ? ["--no-sandbox"] : [])
    }
}
