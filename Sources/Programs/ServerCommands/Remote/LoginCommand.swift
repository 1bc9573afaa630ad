import ArgumentParser
import CommandOutput
import Foundation
import Ground

struct LoginCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "login",
        abstract: "Sign in to a server, to administrate it from here.",
        discussion: """
            You allow this terminal in a browser, on this computer or another, signed in as yourself. Commands with \
            --server then work on that server, with your roles, until you run `lanyard logout`, at most 12 hours.

            A script signs in with an API client instead: its secret is in a file, or in the environment variable \
            LANYARD_CLIENT_SECRET.

            For example:
              lanyard login --server https://id.maple.example
              lanyard person list --server https://id.maple.example
            """)

    @Option(
        help: ArgumentHelp(
            "The server. [default: the environment variable LANYARD_SERVER]", valueName: "https://…"))
    var server: String?

    @OptionGroup var output: OutputOptions

    @Option(help: "The client id of an API client, for a script.")
    var clientID: String?

    @Option(help: "The file with the secret of the API client.", completion: .file())
    var secretFile: String?

    @Option(help: "Ask for this privilege alone, such as people.read. Can be repeated. [default: all that you have]")
    var privilege: [String] = []

    func validate() throws {
        if clientID == nil, secretFile != nil { throw ValidationError("--secret-file needs --client-id.") }
    }

    func run() async throws {
        guard let address = server ?? ProcessInfo.processInfo.environment["LANYARD_SERVER"] else {
            throw ValidationError("Name the server: --server https://…")
        }
        let servers = try SignedInServers()
        let door = TokenDoor(connection: ServerConnection(server: try ServerAddress(address)))
        let scope = privilege.isEmpty ? nil : privilege.joined(separator: " ")
        let token =
            if let clientID {
                try await door.token(clientID: clientID, secret: try secret(), scope: scope)
            } else {
                try await door.token(scope: scope, show: show)
            }
        let access = SignedInServers.Access(
            accessToken: token.accessToken, organization: token.organization,
            expiresAt: Surroundings.system.now().addingTimeInterval(TimeInterval(token.expiresIn)))
        try servers.keep(access, to: door.connection.server)
        let report = Report(
            server: door.connection.server.text, organization: access.organization, expiresAt: access.expiresAt,
            privileges: token.scope.split(separator: " ").map(String.init))
        try output.print(report) {
            """
            Signed in to \(report.server) until \(report.expiresAt.minuteText) UTC.

            `lanyard person list --server \(report.server)` is a command that works there; `lanyard logout --server \
            \(report.server)` ends it earlier.
            """
        }
    }

    private struct Report: Encodable {
        let server: String
        let organization: String
        let expiresAt: Date
        let privileges: [String]
    }

    /// To standard error, because a script may read the standard output.
    private func show(_ codes: TokenDoor.Codes) {
        let text = """
            Open this address in a browser and sign in:

                \(codes.verificationURIComplete)

            Allow it if the page shows the code \(codes.userCode). Waiting …

            """
        StandardOutput.error.write(text.printable(keepsLines: true).utf8)
    }

    private func secret() throws -> String {
        guard let secretFile else {
            guard let secret = ProcessInfo.processInfo.environment["LANYARD_CLIENT_SECRET"] else {
                throw Failure("Name the file of the secret with --secret-file, or set LANYARD_CLIENT_SECRET.")
            }
            return secret
        }
        guard let data = FileManager.default.contents(atPath: secretFile) else {
            throw Failure("The file \(secretFile) cannot be read.")
        }
        return String(decoding: data, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
    }
}

struct LogoutCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "logout",
        abstract: "End the sign-in to a server.",
        discussion: """
            For example:
              lanyard logout --server https://id.maple.example
            """)

    @Option(
        help: ArgumentHelp(
            "The server. [default: the environment variable LANYARD_SERVER]", valueName: "https://…"))
    var server: String?

    func run() async throws {
        guard let address = server ?? ProcessInfo.processInfo.environment["LANYARD_SERVER"] else {
            throw ValidationError("Name the server: --server https://…")
        }
        let server = try ServerAddress(address)
        guard let access = try SignedInServers().forget(server) else {
            print("You were not signed in to \(server.text).")
            return
        }
        do {
            try await TokenDoor(connection: ServerConnection(server: server)).revoke(access.accessToken)
        } catch is Failure {
            throw Failure(
                """
                The sign-in was deleted here, but \(server.text) could not be told: it would accept it until \
                \(access.expiresAt.minuteText) UTC.
                """)
        }
        print("Signed out of \(server.text).")
    }
}
