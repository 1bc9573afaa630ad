import ArgumentParser
import Foundation
import LanyardClient

/// Quizzler's settings. An option overrides the environment, which overrides the default.
struct Settings: ParsableArguments {
    @Option(help: "The address to listen on.")
    var host = environment("HOST") ?? "127.0.0.1"

    @Option(help: "The port to listen on.")
    var port = environment("PORT").flatMap { Int($0) } ?? 8081

    @Option(help: "The folder to keep data in.")
    var data = environment("DATA") ?? "quizzler-data"

    @Option(help: "Where the Lanyard server is.")
    var server = environment("SERVER") ?? "http://127.0.0.1:8080"

    @Option(help: "The issuer in the server's tokens, if it is not the server's address.")
    var issuer: String?

    @Option(help: "The app's client id.")
    var clientID = environment("CLIENT_ID") ?? ""

    @Option(help: "The developer team's id.")
    var teamID = environment("TEAM_ID") ?? ""

    @Option(help: "The id of the app's private key.")
    var keyID = environment("KEY_ID") ?? ""

    @Option(help: "The app's private key, P-256 in PEM.", completion: .file())
    var keyFile = environment("KEY_FILE") ?? ""

    @Option(
        name: .customLong("public-url"),
        help: "Where browsers and the Lanyard server reach Quizzler; return URLs are below it.")
    var publicURLOption: String?

    @Option(help: "How many hours lie between two syncs of an organization.")
    var syncHours = environment("SYNC_HOURS").flatMap { Int($0) } ?? 24

    func validate() throws {
        for (option, value) in [
            ("client-id", clientID), ("team-id", teamID), ("key-id", keyID), ("key-file", keyFile),
        ] where value.isEmpty {
            throw ValidationError("Missing --\(option).")
        }
        guard syncHours > 0 else { throw ValidationError("--sync-hours must be at least 1.") }
    }

    /// Without a trailing slash.
    var publicURL: String {
        let url = publicURLOption ?? environment("PUBLIC_URL") ?? "http://127.0.0.1:\(port)"
        return url.hasSuffix("/") ? String(url.dropLast()) : url
    }

    /// - Throws: If the key file cannot be read.
    func clientConfiguration() throws -> LanyardClient.Configuration {
        LanyardClient.Configuration(
            baseURL: server,
            clientID: clientID,
            teamID: teamID,
            keyID: keyID,
            privateKeyPEM: try String(contentsOfFile: keyFile, encoding: .utf8),
            issuer: issuer ?? environment("ISSUER")
        )
    }
}

private func environment(_ name: String) -> String? {
    ProcessInfo.processInfo.environment["QUIZZLER_\(name)"]
}
