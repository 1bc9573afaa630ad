import ArgumentParser
import Authorization
import Directory
import Storage

struct AppClientCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "client",
        abstract: "Say how a client of the standard profile authenticates.",
        discussion: """
            Every client can use its team's keys. With --secret it gets a fixed secret, for programs that know no other \
            way; it is shown once and replaces the one before. With --public it has none: a native program, which proves \
            with PKCE that a code is its own.
            """)

    @OptionGroup var global: GlobalOptions
    @OptionGroup var output: OutputOptions

    @Argument(help: "The client id.")
    var clientID: String

    @Flag(help: "Make a fixed secret.")
    var secret = false

    @Flag(name: .customLong("public"), help: "Keep no secret.")
    var isPublic = false

    func validate() throws {
        guard secret != isPublic else { throw ValidationError("Say either --secret or --public.") }
    }

    private struct Report: Encodable, Sendable {
        let clientID: String
        let authentication: String
        let clientSecret: String?
    }

    func run() async throws {
        let (clientID, makesSecret) = (clientID, secret)
        let report = try await Deployment.withExisting(global) { deployment, _ in
            let (now, surroundings) = (deployment.now, deployment.surroundings)
            return try await deployment.database.write { transaction in
                guard let client = try Client.find(clientID, in: transaction),
                    try App.find(clientID: clientID, in: transaction) != nil
                else {
                    throw Failure("There is no client “\(clientID)”. `lanyard app list` shows those that there are.")
                }
                let made = makesSecret ? try client.makeSecret(from: surroundings, in: transaction) : nil
                if made == nil { try client.makePublic(in: transaction) }
                try AuditEntry(
                    .appChanged, by: .operator, on: "app:\(client.appID.rawValue)", outcome: .done,
                    detail: "client \(clientID) \(made == nil ? "made public" : "got a new secret")", from: .commandLine
                ).append(to: nil, at: now, in: transaction)
                return Report(
                    clientID: clientID, authentication: made == nil ? "none" : "secret", clientSecret: made?.text)
            }
        }
        try output.print(report) {
            report.clientSecret.map {
                "The secret of \(clientID) is shown this once:\n\n    \($0)\n"
            } ?? "\(clientID) is public: it authenticates with PKCE alone."
        }
    }
}
