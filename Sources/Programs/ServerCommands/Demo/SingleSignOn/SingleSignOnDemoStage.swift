import CommandOutput
import Directory
import Foundation
import Ground
import ServerHTTP

/// The data and programs of the demo, which are reused at the next start.
struct SingleSignOnDemoStage: Sendable {
    let folder: String
    let account: DemoStage.Account
    let registration: BurgersRegistration
    let device: DemoDevice
    /// The command that starts the native program on the demo's device.
    let client: String
    /// The command for `lanyard`, the server's command line.
    let lanyard: String
    /// The command for `lanyard-sso` on the demo's device.
    let lanyardSSO: String
    /// The command that opens the demo's browser.
    let browser: String
    /// Nil if the second scene is left out.
    let domain: DemoDomain?
    /// The command before one for the domain, such as curl.
    let inDomain: String
    /// The command that lets the person's password in the domain expire.
    let expirePassword: String
    private let clientProgram: String

    static func set(
        in deployment: Deployment, configuration: ServerConfiguration, authority: DemoAuthority, folder: String,
        siteURL: String, client: String, hasDomain: Bool
    ) async throws -> SingleSignOnDemoStage {
        let (organization, accounts) = try await DemoStage.school(in: deployment, folder: "\(folder)/server")
        guard let account = accounts.first(where: { $0.role == "instructor" }) else {
            throw Failure("The demo district has no instructor.")
        }
        let registration = try await BurgersRegistration.put(
            in: deployment, returnURL: "\(siteURL)/signed-in", for: account.userName)
        var domain: DemoDomain?
        if hasDomain {
            let name = account.userName.split(separator: "@")
            let new = DemoDomain(in: "\(folder)/domain", userName: String(name[0]))
            try new.setUp(password: account.password, authority: authority)
            try await new.trust(for: organization.id, domain: String(name[1]), in: deployment)
            domain = new
        }
        let device = DemoDevice(in: "\(folder)/device")
        try device.setUp(
            for: configuration, organization: organization.name, authority: authority, domain: domain)
        let stage = SingleSignOnDemoStage(
            folder: folder, account: account, registration: registration, device: device,
            client: "\(folder)/burgers-and-tacos", lanyard: "\(folder)/lanyard", lanyardSSO: "\(folder)/lanyard-sso",
            browser: "\(folder)/browser", domain: domain, inDomain: "\(folder)/in-domain",
            expirePassword: "\(folder)/expire-password", clientProgram: client)
        try stage.writeClient(provider: "\(configuration.standardIssuer)/authorize", siteURL: siteURL)
        try stage.writeScripts(siteURL: siteURL, authority)
        return stage
    }

    /// Writes the native program's settings, which an organization would install on its devices.
    private func writeClient(provider: String, siteURL: String) throws {
        let settings = ["identityProvider": provider, "clientID": BurgersRegistration.nativeClientID, "site": siteURL]
        try JSONEncoder.readable.encode(settings).write(to: URL(fileURLWithPath: clientSettings), options: .atomic)
    }

    private var clientSettings: String { "\(folder)/burgers-and-tacos.json" }

    /// Writes scripts that set the demo's broker, so that people do not have to type its socket.
    private func writeScripts(siteURL: String, _ authority: DemoAuthority) throws {
        let socket = "LANYARD_SSO_SOCKET='\(device.socket)'"
        try DemoScript.write(
            "burgers-and-tacos", in: folder,
            "\(socket) BURGERS_CONFIGURATION='\(clientSettings)' exec '\(clientProgram)' \"$@\"")
        try DemoScript.write(
            "lanyard-sso", in: folder,
            "\(socket) exec '\(try InstalledProgram.path(of: "lanyard-sso"))' \"$@\"")
        try DemoScript.write("lanyard", in: folder, "exec '\(try InstalledProgram.path(of: "lanyard"))' \"$@\"")
        let arguments = try device.browserArguments(authority: authority).map { "'\($0)'" }.joined(separator: " ")
        let setting = "export LANYARD_SSO_SOCKET='\(device.socket)'"
        var browser = setting
        if let domain {
            // As a session of a device has it from environment.d.
            browser = """
                \(setting) KRB5_CONFIG='\(domain.settings)'
                found=$('\(lanyardSSO)' kerberos environment) && export "$found"
                """
            try DemoScript.write(
                "in-domain", in: folder,
                """
                \(browser)
                # Only the demo trusts its authority.
                export CURL_CA_BUNDLE='\(authority.authorityFile)' GIT_SSL_CAINFO='\(authority.authorityFile)'
                export GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=http.emptyAuth GIT_CONFIG_VALUE_0=true GIT_TERMINAL_PROMPT=0
                exec "$@"
                """)
            try DemoScript.write("expire-password", in: folder, domain.expiring)
        }
        browser += "\nexec chromium \(arguments) \"${1:-\(siteURL)/welcome}\""
        try DemoScript.write("browser", in: folder, browser)
    }

    func site(port: Int, issuer: String, authority: DemoAuthority) throws -> DemoProcess {
        DemoProcess(
            "Burgers and Tacos", program: clientProgram,
            arguments: [
                "serve", "--port", "\(port)", "--issuer", issuer, "--client-id", BurgersRegistration.siteClientID,
                "--native-client-id", BurgersRegistration.nativeClientID, "--certificate-authority",
                authority.authorityFile, "--provider-address", "\(DemoAuthority.host)=127.0.0.1",
            ], environment: ["BURGERS_CLIENT_SECRET": registration.siteSecret], log: "\(folder)/site.log")
    }

    func browser(opening url: String) -> DemoProcess {
        DemoProcess("Chromium", program: browser, arguments: [url], log: "\(folder)/browser.log", isNeeded: false)
    }

    func file(siteURL: String, serverURL: String, authority: DemoAuthority) throws -> SingleSignOnDemoFile {
        SingleSignOnDemoFile(
            site: siteURL, server: serverURL, account: account, socket: device.socket, client: client,
            browserArguments: try device.browserArguments(authority: authority),
            domain: domain.map {
                SingleSignOnDemoFile.Domain(
                    realm: DemoDomain.realm, userName: $0.userName, page: $0.page, repository: $0.repository,
                    shell: DemoDomain.shell, shellSettings: $0.shellSettings, environment: inDomain,
                    expirePassword: expirePassword)
            })
    }

    /// Whether a person is still signed in on the device from an earlier start. Does not prompt.
    func isSignedIn(at issuer: String) -> Bool {
        let question = try? device.lanyardSSO([
            "request", "\(issuer)/authorize", "--operation", "refresh", "--no-ui", "--scope", "openid", "--scope",
            "profile", "--option", "client_id=\(BurgersRegistration.nativeClientID)", "--option",
            "redirect_uri=\(BurgersRegistration.nativeReturnURL)",
        ])
        return question != nil
    }
}

/// The content of ``SingleSignOnDemoText`` for scripts, written to `demo.json`.
struct SingleSignOnDemoFile: Encodable, Sendable {
    let site: String
    let server: String
    let account: DemoStage.Account
    let socket: String
    /// The native program.
    let client: String
    let browserArguments: [String]
    let domain: Domain?

    struct Domain: Encodable, Sendable {
        let realm: String
        let userName: String
        /// The address of the intranet.
        let page: String
        let repository: String
        /// The host's name, and the file with which ssh finds it.
        let shell: String
        let shellSettings: String
        /// The program that runs another one in the domain.
        let environment: String
        let expirePassword: String
    }

    func write(to path: String) throws {
        try JSONEncoder.readable.encode(self).write(to: URL(fileURLWithPath: path), options: .atomic)
    }
}
