import ArgumentParser
import Authorization
import Directory
import Storage

struct AppClientCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "client",
        abstract: "Say how a client of the standard profile authenticates.",
        discussion: """
            In one way, and whoever comes in its name in another is refused. A new client uses a key of its team \
            (private_key_jwt). With --secret it gets a fixed secret instead, for programs that know no other way \
            (client_secret_basic or client_secret_post); it is shown once and replaces the one before. With --public it has \
            none: a native program, which proves with PKCE that a code is its own. --key goes back to the keys. The other \
            profiles know the team's keys alone, whatever is said here.
            """)

    @OptionGroup var global: GlobalOptions
    @OptionGroup var output: OutputOptions

    @Argument(help: "The client id.")
    var clientID: String

    @Flag(help: "Make a fixed secret.")
    var secret = false

    @Flag(name: .customLong("public"), help: "Keep no secret.")
    var isPublic = false

    @Flag(help: "Use a key of the team; a fixed secret is void.")
    var key = false

    func validate() throws {
        guard [secret, isPublic, key].count(where: { $0 }) == 1 else {
            throw ValidationError("Say one of --key, --secret and --public.")
        }
    }

    private struct Report: Encodable, Sendable {
        let clientID: String
        let authentication: String
        let clientSecret: String?
    }

    func run() async throws {
        let (clientID, authentication) = (clientID, secret ? Client.Authentication.secret : key ? .key : .none)
        let report = try await Deployment.withExisting(global) { deployment, _ in
            let (now, surroundings) = (deployment.now, deployment.surroundings)
            return try await deployment.database.write { transaction in
                guard let client = try Client.find(clientID, in: transaction),
                    try App.find(clientID: clientID, in: transaction) != nil
                else {
                    throw Failure("There is no client “\(clientID)”. `lanyard app list` shows those that there are.")
                }
                var made: Secret?
                let change: String
                switch authentication {
                case .secret:
                    made = try client.makeSecret(from: surroundings, in: transaction)
                    change = "got a new secret"
                case .none:
                    try client.makePublic(in: transaction)
                    change = "made public"
                case .key:
                    try client.useKey(in: transaction)
                    change = "uses a key of the team"
                }
                try AuditEntry(
                    .appChanged, by: .operator, on: "app:\(client.appID.rawValue)", outcome: .done,
                    detail: "client \(clientID) \(change)", from: .commandLine
                ).append(to: nil, at: now, in: transaction)
                return Report(
                    clientID: clientID, authentication: authentication.rawValue, clientSecret: made?.text)
            }
        }
        try output.print(report) {
            if let secret = report.clientSecret {
                return "The secret of \(clientID) is shown this once:\n\n    \(secret)\n"
            }
            return authentication == .key
                ? "\(clientID) authenticates with a key of its team."
                : "\(clientID) is public: it authenticates with PKCE alone."
        }
    }
}
