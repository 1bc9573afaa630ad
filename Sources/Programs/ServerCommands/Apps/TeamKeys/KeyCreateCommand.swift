import Administration
import ArgumentParser
import CommandOutput
import Crypto
import Foundation

struct KeyCreateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "create",
        abstract: "Make a key for a team, or register one that the team made.",
        discussion: """
            With --out the private key is written to a file, which the team needs and nobody else should have: the \
            server keeps the public half only. With --public a team that made its own key hands in the public half.

            For example:
              lanyard key create production --out quizzler.p8
            """)

    @OptionGroup var global: GlobalOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var team: TeamOption

    @Argument(help: "The name, to tell it from other keys.")
    var name: String

    @Option(
        help: "The new file for the private key (P-256, PKCS #8, PEM).", completion: .file(extensions: ["p8", "pem"]))
    var out: String?

    @Option(
        name: .customLong("public"), help: "A file with a public key (P-256, PEM).",
        completion: .file(extensions: ["pem", "pub"]))
    var publicKeyFile: String?

    private struct Result: Encodable {
        let key: KeyRecord
        let privateKeyFile: String?
    }

    func validate() throws {
        guard (out == nil) != (publicKeyFile == nil) else {
            throw ValidationError("Give either --out FILE, for a new key, or --public FILE, for one that the team has.")
        }
    }

    func run() async throws {
        let file = out.map(PrivateKeyFile.init)
        let handedIn = try publicKeyFile.map(Self.publicKey(in:))
        let key = try await Deployment.administrate(global) { administrator in
            // Asked first, so that nothing is written for a team that there is not.
            let owner = TeamReference(try await administrator.ask(ShowTeam(team: team.reference(administrator))).id)
            // Then the file is written: a registered key whose file could not be written would be useless.
            let publicKey: P256.Signing.PublicKey
            if let handedIn {
                publicKey = handedIn
            } else {
                let privateKey = P256.Signing.PrivateKey()
                try file?.write(privateKey)
                publicKey = privateKey.publicKey
            }
            do {
                return try await administrator.perform(
                    RegisterKey(team: owner, name: name, publicKey: publicKey.pemRepresentation)
                ).answer
            } catch {
                file?.delete()
                throw error
            }
        }
        try output.print(Result(key: key, privateKeyFile: out)) {
            let secret = out.map {
                "\n\nThe private key is in \($0), the only copy. Hand it to the team, and to nobody else."
            }
            return """
                Registered the key “\(key.name)” for \(key.teamName)

                Key id (kid):   \(key.keyID)
                Team id (iss):  \(key.teamID)\(secret ?? "")
                """
        }
    }

    private static func publicKey(in path: String) throws -> P256.Signing.PublicKey {
        let pem: String
        do {
            pem = try String(contentsOfFile: path, encoding: .utf8)
        } catch {
            throw Failure("The file \(path) cannot be read as text. Name a file with a public key in PEM.")
        }
        if pem.contains("PRIVATE KEY") {
            throw Failure(
                """
                \(path) holds a private key, which should stay with the team. Hand in its public half: \
                openssl ec -in \(path) -pubout
                """)
        }
        guard let key = try? P256.Signing.PublicKey(pemRepresentation: pem) else {
            throw Failure("\(path) holds no public P-256 key in PEM (“BEGIN PUBLIC KEY”). ES256 needs such a key.")
        }
        return key
    }
}
