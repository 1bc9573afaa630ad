import Administration
import ArgumentParser
import Authorization
import CommandOutput

struct AppClientCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "client",
        abstract: "Say how a client of the standard profile authenticates, and how its identity tokens are signed.",
        discussion: """
            A client authenticates in exactly one way; every other is refused. A new client uses a key of its team \
            (private_key_jwt). With --secret it gets a fixed secret instead, for programs that know no other way \
            (client_secret_basic or client_secret_post); it is shown once and replaces the one before. With --public it has \
            none: a native program, which proves with PKCE that a code is its own. --key goes back to the keys. The other \
            profiles know the team's keys alone, whatever is said here. Identity tokens are signed with RS256 unless the client is set to ES256, \
            as its library has to be (`id_token_signed_response_alg`).
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

    @Flag(help: "Take the client id from its app. It stays reserved for the app, and can be added again.")
    var remove = false

    @Option(help: "How its identity tokens are signed from now on: RS256 or ES256.")
    var signingAlgorithm: SigningAlgorithm?

    func validate() throws {
        guard [secret, isPublic, key, remove].count(where: { $0 }) <= 1 else {
            throw ValidationError("Say one of --key, --secret, --public and --remove.")
        }
        guard secret || isPublic || key || remove || signingAlgorithm != nil else {
            throw ValidationError("Say what to change: --key, --secret, --public, --remove or --signing-algorithm.")
        }
        guard !remove || signingAlgorithm == nil else {
            throw ValidationError("--remove and --signing-algorithm contradict each other.")
        }
    }

    private struct Report: Encodable, Sendable {
        let clientID: String
        let authentication: String
        let signingAlgorithm: String
        let clientSecret: String?

        init(_ client: ClientRecord, secret: String?) {
            clientID = client.clientID
            authentication = client.authentication.rawValue
            signingAlgorithm = client.signingAlgorithm.rawValue
            clientSecret = secret
        }

        var text: String {
            let signed = "Its identity tokens are signed with \(signingAlgorithm)."
            if let clientSecret {
                return "The secret of \(clientID) is shown this once:\n\n    \(clientSecret)\n\n\(signed)"
            }
            let proof =
                switch authentication {
                case "none": "\(clientID) is public: it authenticates with PKCE alone."
                case "secret": "\(clientID) authenticates with its fixed secret."
                default: "\(clientID) authenticates with a key of its team."
                }
            return "\(proof) \(signed)"
        }
    }

    func run() async throws {
        let client = ClientReference(clientID)
        if remove {
            let record = try await Deployment.administrate(global) {
                try await $0.perform(RemoveClient(client: client)).answer
            }
            return try output.print(record) { "Removed \(clientID).\n\n\(record.text)" }
        }
        let authentication: Client.Authentication? = isPublic ? Client.Authentication.none : key ? .key : nil
        let report = try await Deployment.administrate(global) { administrator in
            var made: MakeClientSecret.Answer?
            if secret { made = try await administrator.perform(MakeClientSecret(client: client)).answer }
            guard authentication != nil || signingAlgorithm != nil else {
                return made.map { Report($0.client, secret: $0.secret) }
            }
            let set = try await administrator.perform(
                SetClient(client: client, authentication: authentication, signingAlgorithm: signingAlgorithm)
            ).answer
            return Report(set, secret: made?.secret)
        }
        // Validation has seen to it that something is said.
        guard let report else { return }
        try output.print(report) { report.text }
    }
}
