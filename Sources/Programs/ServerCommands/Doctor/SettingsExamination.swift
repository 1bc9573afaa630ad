import Authorization
import CommandOutput
import Foundation
import Ground
import ServerHTTP
import Storage

/// Checks the settings, and whether they are consistent.
struct SettingsExamination {
    let settings: Settings

    func findings() async -> [Finding] {
        let general = await generalFindings()
        guard let server = try? await settings.server() else { return general }
        let told = try? settings.operatorAddress()
        return general + MailExamination(server: server, operatorAddress: told).findings()
            + KeytabExamination(server: server).findings()
    }

    /// Without those of mail and of the keytab.
    func generalFindings() async -> [Finding] {
        let check = "base URL"
        let server: ServerConfiguration
        do {
            server = try await settings.server()
        } catch {
            return [
                .problem(check, "\(error)", remedy: "Correct it in lanyard.json or the environment.")
            ]
        }
        let url = server.baseURL
        var findings = unknownKeys.map {
            Finding.warning(
                "configuration", "\(settings.filePath) has “\($0)”, which is no setting.",
                remedy: "docs/command-line.md lists the settings; mind capitals.")
        }
        findings += relativePaths.map {
            .warning(
                "configuration",
                "\(settings.filePath) has a path in “\($0)” that does not begin with /. Each program looks for it from the folder in "
                    + "which it is started.",
                remedy: "Write the whole path, so that the server and commands mean the same.")
        }
        if !Self.isLoopback(url) {
            findings.append(
                settings.isDevelopment
                    ? .warning(
                        check, "\(url) is for everyone, but the server runs for development.",
                        remedy: "Leave out `development`: it takes http return URLs on loopback.")
                    : .ok(check, "\(url)"))
        } else if settings.isDevelopment {
            findings.append(.ok(check, "\(url), for development on this machine"))
        } else {
            findings.append(
                .warning(
                    check, "\(url) is reached from this machine only.",
                    remedy: "Set baseURL to the https address that people use, and put a TLS proxy in front."))
        }
        if server.issuer != url {
            findings.append(
                .warning(
                    "issuer", "Tokens name \(server.issuer) as their issuer, not this server.",
                    remedy: "Leave out `issuer`, unless clients with another issuer compiled in are tried out here."))
        }
        return findings
    }

    private var file: JSONValue? {
        FileManager.default.contents(atPath: settings.filePath).flatMap { try? JSONValue(reading: $0) }
    }

    /// Keys in the file that are not settings, usually misspelled ones.
    private var unknownKeys: [String] {
        file.map { Self.names(in: $0).filter { !Settings.keys.contains($0) }.sorted() } ?? []
    }

    /// Settings in the file with a path that means something else in another folder.
    private var relativePaths: [String] {
        Settings.paths.filter { key in
            let value = key.split(separator: ".").reduce(file) { $0?.fields?[String($1)] }
            guard let path = value?.text, !path.isEmpty else { return false }
            return !path.hasPrefix("/") && !namesServer(path)
        }
    }

    /// The names of all settings in a JSON object. Those in nested objects are joined with dots.
    private static func names(in object: JSONValue) -> [String] {
        (object.fields ?? [:]).flatMap { key, value in
            value.fields == nil ? [key] : names(in: value).map { "\(key).\($0)" }
        }
    }

    static func isLoopback(_ url: String) -> Bool {
        Loopback.contains(host: URLComponents(string: url)?.host ?? "")
    }
}
