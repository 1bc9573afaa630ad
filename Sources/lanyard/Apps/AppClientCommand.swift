import ArgumentParser
import Authorization
import Directory
import Storage

struct AppClientCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "client",
        abstract: "Say how a client of the standard profile authenticates, and how its identity tokens are signed.",
        discussion: """
            Every client can use its team's keys. With --secret it gets a fixed secret, for programs that know no other \
            way; it is shown once and replaces the one before. With --public it has none: a native program, which proves \
            with PKCE that a code is its own. Identity tokens are signed with RS256 unless the client is set to ES256, as \
            its library has to be (`id_token_signed_response_alg`).
            """)

    @OptionGroup var global: GlobalOptions
    @OptionGroup var output: OutputOptions

    @Argument(help: "The client id.")
    var clientID: String

    @Flag(help: "Make a fixed secret.")
    var secret = false

    @Flag(name: .customLong("public"), help: "Keep no secret.")
    var isPublic = false

    @Option(help: "How its identity tokens are signed from now on: RS256 or ES256.")
    var signingAlgorithm: SigningAlgorithm?

    func validate() throws {
        guard !(secret && isPublic) else { throw ValidationError("Say either --secret or --public.") }
        guard secret || isPublic || signingAlgorithm != nil else {
            throw ValidationError("Say what to change: --secret, --public or --signing-algorithm.")
        }
    }

    private struct Report: Encodable, Sendable {
        let clientID: String
        let authentication: String
        let signingAlgorithm: String
        let clientSecret: String?

        init(_ client: Client, secret: Secret?) {
            clientID = client.clientID
            authentication = client.authentication
            signingAlgorithm = client.signingAlgorithm.rawValue
            clientSecret = secret?.text
        }

        var text: String {
            let signed = "Its identity tokens are signed with \(signingAlgorithm)."
            if let clientSecret {
                return "The secret of \(clientID) is shown this once:\n\n    \(clientSecret)\n\n\(signed)"
            }
            let proof = authentication == "none" ? "\(clientID) is public: it authenticates with PKCE alone." : nil
            return [proof, signed].compactMap { $0 }.joined(separator: " ")
        }
    }

    func run() async throws {
        let (clientID, makesSecret, makesPublic, signingAlgorithm) = (clientID, secret, isPublic, signingAlgorithm)
        let report = try await Deployment.withExisting(global) { deployment, _ in
            let (now, surroundings) = (deployment.now, deployment.surroundings)
            return try await deployment.database.write { transaction in
                guard let client = try Client.find(clientID, in: transaction),
                    try App.find(clientID: clientID, in: transaction) != nil
                else {
                    throw Failure("There is no client “\(clientID)”. `lanyard app list` shows those that there are.")
                }
                let made = makesSecret ? try client.makeSecret(from: surroundings, in: transaction) : nil
                if makesPublic { try client.makePublic(in: transaction) }
                if let signingAlgorithm { try client.put(signingAlgorithm: signingAlgorithm, in: transaction) }
                let changes = [
                    made.map { _ in "got a new secret" }, makesPublic ? "made public" : nil,
                    signingAlgorithm.map { "signed with \($0.rawValue)" },
                ].compactMap { $0 }
                try AuditEntry(
                    .appChanged, by: .operator, on: "app:\(client.appID.rawValue)", outcome: .done,
                    detail: "client \(clientID) \(changes.joined(separator: ", "))", from: .commandLine
                ).append(to: nil, at: now, in: transaction)
                return Report(try Client.find(clientID, in: transaction) ?? client, secret: made)
            }
        }
        try output.print(report) { report.text }
    }
}
