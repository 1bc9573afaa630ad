import Authorization
import CommandOutput
import Foundation
import Ground
import ServerHTTP

/// Checks the settings, and whether they are consistent.
struct SettingsExamination {
    let settings: Settings

    func findings() async -> [Finding] {
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
        return findings + MailExamination(server: server).findings() + KeytabExamination(server: server).findings()
    }

    /// Keys in the file that are not settings, usually misspelled ones.
    private var unknownKeys: [String] {
        guard let data = FileManager.default.contents(atPath: settings.filePath),
            let object = try? JSONSerialization.jsonObject(with: data) as? [String: Any]
        else { return [] }
        return Self.names(in: object).filter { !Settings.keys.contains($0) }.sorted()
    }

    /// The names of all settings in a JSON object. Those in nested objects are joined with dots.
    private static func names(in object: [String: Any]) -> [String] {
        object.flatMap { key, value in
            (value as? [String: Any]).map { names(in: $0).map { "\(key).\($0)" } } ?? [key]
        }
    }

    static func isLoopback(_ url: String) -> Bool {
        Loopback.contains(host: URLComponents(string: url)?.host ?? "")
    }
}
