import Directory
import Foundation
import Server

/// What the scene is played with, found again at the next start.
struct SingleSignOnDemoStage: Sendable {
    let folder: String
    let account: DemoStage.Account
    let registration: BurgersRegistration
    let device: DemoDevice
    /// Starts the native program on the demo's device.
    let client: String
    /// What the broker calls to show a page.
    let showPage: String
    private let clientProgram: String

    static func set(
        in deployment: Deployment, configuration: ServerConfiguration, authority: DemoAuthority, folder: String,
        siteURL: String, client: String
    ) async throws -> SingleSignOnDemoStage {
        let (organization, accounts) = try await DemoStage.school(in: deployment, folder: "\(folder)/server")
        guard let account = accounts.first(where: { $0.role == "instructor" }) else {
            throw Failure("The demo district has no instructor.")
        }
        let registration = try await BurgersRegistration.put(
            in: deployment, returnURL: "\(siteURL)/signed-in", for: account.userName)
        let device = DemoDevice(in: "\(folder)/device")
        try device.setUp(for: configuration, organization: organization.name, authority: authority)
        let stage = SingleSignOnDemoStage(
            folder: folder, account: account, registration: registration, device: device,
            client: "\(folder)/burgers-and-tacos", showPage: "\(folder)/show-page", clientProgram: client)
        try stage.writeClient(provider: "\(configuration.standardIssuer)/authorize", siteURL: siteURL, authority)
        return stage
    }

    /// The file that an organization would put on its devices, and a script that names it and the demo's broker.
    private func writeClient(provider: String, siteURL: String, _ authority: DemoAuthority) throws {
        let settings = ["identityProvider": provider, "clientID": BurgersRegistration.nativeClientID, "site": siteURL]
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        let path = "\(folder)/burgers-and-tacos.json"
        try encoder.encode(settings).write(to: URL(fileURLWithPath: path), options: .atomic)
        try script(
            client,
            "LANYARD_SSO_SOCKET='\(device.socket)' BURGERS_CONFIGURATION='\(path)' exec '\(clientProgram)' \"$@\"")
        let arguments = try device.browserArguments(authority: authority).map { "'\($0)'" }.joined(separator: " ")
        try script(
            showPage,
            """
            # The broker has a page to show, and here is its address.
            echo "$1" >> '\(folder)/pages'
            if [ -n "$DISPLAY$WAYLAND_DISPLAY" ]; then exec chromium \(arguments) "$1"; fi
            """)
    }

    private func script(_ path: String, _ line: String) throws {
        guard
            FileManager.default.createFile(
                atPath: path, contents: Data("#!/bin/sh\n\(line)\n".utf8), attributes: [.posixPermissions: 0o755])
        else { throw Failure("\(path) cannot be written.") }
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

    func browser(opening url: String, authority: DemoAuthority) throws -> DemoProcess {
        DemoProcess(
            "Chromium", program: "/usr/bin/env",
            arguments: ["chromium"] + (try device.browserArguments(authority: authority)) + [url],
            environment: ["LANYARD_SSO_SOCKET": device.socket], log: "\(folder)/browser.log", isNeeded: false)
    }

    func file(siteURL: String, serverURL: String, authority: DemoAuthority) throws -> SingleSignOnDemoFile {
        SingleSignOnDemoFile(
            site: siteURL, server: serverURL, account: account, socket: device.socket, client: client,
            browserArguments: try device.browserArguments(authority: authority))
    }

    func text(siteURL: String, serverURL: String, opensBrowser: Bool) -> String {
        let chromium =
            opensBrowser
            ? "Chromium has just opened."
            : "There is no display here, so begin with the other way round, below."
        return """

            Single sign-on is ready.

              Burgers and Tacos   \(siteURL)    a web site for people of the school
              Lanyard             \(serverURL)    the school's server
              the device          \(device.folder)

            Sign in as          \(account.name), with the user name \(account.userName)
            and the password    \(account.password)

            First the browser. \(chromium)
              1. \(opensBrowser ? "Press “To the menu”." : "Load \(siteURL).")
                 The page wants to know who is there, and the device asks in the same tab: type name and password.
              2. The page says hello, by name.
              3. In another terminal: \(client) burger
              4. And then: \(client) tacos
                 Nobody is asked.

            Then the other way round.
              1. Press “Sign out” at the page, and run: \(client) sign-out
              2. \(client) tacos
                 asks in the terminal.
              3. Load \(siteURL) in the browser: nobody is asked.

            What the device did, and why:
              LANYARD_SSO_SOCKET=\(device.socket) \(CommandLine.arguments[0]) sso log

            For this demo, and nowhere else: the server's certificate is from an authority in \(folder)/tls that
            only this demo trusts. The broker takes profile and extension from this folder, root's or not.
            The native program may draw the form in its own terminal, where others get a page in the browser.
            \(account.name) has agreed before that Burgers and Tacos knows the name.

            Ctrl-C stops everything; the next start finds it again. Delete \(folder) to begin anew.
            """
    }
}

/// The same for scripts: `demo.json`.
struct SingleSignOnDemoFile: Encodable, Sendable {
    let site: String
    let server: String
    let account: DemoStage.Account
    let socket: String
    /// The program that loads pictures.
    let client: String
    let browserArguments: [String]

    func write(to path: String) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        try encoder.encode(self).write(to: URL(fileURLWithPath: path), options: .atomic)
    }
}
