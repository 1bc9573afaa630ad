import ArgumentParser
import CommandOutput
import Ground
import SingleSignOnClient
import SingleSignOnWire

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

struct GitCredentialCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "git-credential",
        abstract: "Answer git's question for a credential, by gitcredentials(7).",
        discussion: """
            git config --global credential.helper '!lanyard-sso git-credential'

            The extension that serves git's host answers. With --token the hosts named with --host get an access token of \
            that identity provider as a password. A host that nothing serves gets no answer, and git goes on. Nothing is \
            stored: that is the extension's part.
            """)

    enum Action: String, ExpressibleByArgument, CaseIterable { case get, store, erase, capability }

    @OptionGroup var ask: AskOptions

    @Option(help: "The identity provider's URL, where it is not the git server's own.")
    var token: AskedURL?

    @Option(
        name: .customLong("host"),
        help: "A host, or .suffix, with a port that is not the usual one, that gets the token. May be repeated.")
    var hosts: [String] = []

    @Option(help: "The user name that goes with a token; most servers take any.")
    var username = "oauth2"

    @Argument(help: "get, store, erase or capability.")
    var action: Action

    func validate() throws {
        // Without a host, the token would go to every server that git asks for.
        guard (token == nil) == hosts.isEmpty else { throw ValidationError("--token and --host go together.") }
    }

    func run() async throws {
        switch action {
        case .get:
            let question = GitCredential(Self.input())
            // Without an answer git continues as if there were no single sign-on.
            guard let answer = try await answer(to: question) else { return }
            StandardOutput.output.write(answer.utf8)
        case .capability: print("version 0\ncapability authtype")
        // This helper keeps no credentials, so there is nothing to store or erase.
        case .store, .erase: _ = Self.input()
        }
    }

    /// Reads the standard input up to its end.
    private static func input() -> Data {
        var lines = Data()
        while let line = readLine(strippingNewline: false) { lines += line.utf8 }
        return lines
    }

    private func answer(to question: GitCredential) async throws -> String? {
        // Tokens are only sent over TLS or to this machine.
        guard let url = question.url else { return nil }
        let signOn = SignOn(options: ask)
        do {
            if let token, hosts.contains(where: question.isFor) {
                return bearer(try await signOn.tokens(token.text), to: question)
            }
            if let headers = try await signOn.challengeHeaders(url, challenges: question.challenges) {
                return headers["authorization"].flatMap { question.answer(authorization: $0, username: username) }
            }
            // Only where a profile covers the URL: a token of the identity provider is not valid for other services on
            // its host.
            guard try await signOn.broker.match(url: url).coversRequests else { return nil }
            return bearer(try await signOn.tokens(url), to: question)
        } catch let failure as SingleSignOnFailure {
            printToStandardError("lanyard-sso: \(failure.message)")
            // If the person canceled, tell git to quit; otherwise it would ask for a password next.
            return failure.code == .canceled ? "quit=1\n" : nil
        } catch let problem as BrokerUnavailable {
            printToStandardError("lanyard-sso: \(problem)")
            return nil
        }
    }

    private func bearer(_ tokens: SignOn.Tokens, to question: GitCredential) -> String? {
        guard let token = tokens.accessToken else {
            printToStandardError("lanyard-sso: The extension's answer holds no access token.")
            return nil
        }
        return question.answer(authorization: "Bearer \(token)", username: username, expiresAt: tokens.expiresAt)
    }
}

/// The data that git exchanges with a credential helper. git-credential(1), “Input/output format”.
struct GitCredential {
    private var values: [String: String] = [:]
    private var capabilities: Set<String> = []
    /// Values of `WWW-Authenticate`, which git sends since version 2.41.
    private(set) var challenges: [String] = []

    init(_ input: Data) {
        for line in String(decoding: input, as: UTF8.self).split(separator: "\n") {
            guard let equals = line.firstIndex(of: "=") else { continue }
            let (key, value) = (line[..<equals], String(line[line.index(after: equals)...]))
            switch key {
            case "wwwauth[]": if value.isEmpty { challenges = [] } else { challenges.append(value) }
            case "capability[]": capabilities.insert(value)
            default: values[String(key)] = value
            }
        }
    }

    /// nil for protocols over which secrets cannot be sent safely.
    var url: String? {
        guard let scheme = values["protocol"], let host = values["host"], !host.isEmpty,
            // With other characters some programs would read a different host from the URL.
            host.wholeMatch(of: /[A-Za-z0-9.:\[\]\-]+/) != nil
        else { return nil }
        let name = host.hasPrefix("[") ? host.prefix { $0 != "]" } + "]" : host.prefix { $0 != ":" }
        guard scheme == "https" || scheme == "http" && Loopback.contains(host: String(name)) else { return nil }
        return "\(scheme)://\(host)/\(values["path"] ?? "")"
    }

    /// - Parameter pattern: a host, or a dot and a domain for all hosts under it. A port that is not the default
    ///   follows after a colon.
    func isFor(_ pattern: String) -> Bool {
        guard let url = url.flatMap({ URL(string: $0) }), let host = url.host()?.lowercased() else { return false }
        let usual = url.scheme == "https" ? 443 : 80
        let parts = pattern.lowercased().wholeMatch(of: /(\[.*\]|[^:]*)(?::([0-9]+))?/)
        guard let parts, (parts.2.map { Int($0) } ?? usual) == url.port ?? usual else { return false }
        let name = parts.1.filter { $0 != "[" && $0 != "]" }
        let bare = host.filter { $0 != "[" && $0 != "]" }
        return name.hasPrefix(".") ? bare.hasSuffix(name) : bare == name
    }

    /// - Returns: nil if this version of git cannot send it.
    func answer(authorization: String, username: String, expiresAt: Date? = nil) -> String? {
        let parts = authorization.split(separator: " ", maxSplits: 1)
        guard parts.count == 2, !authorization.unicodeScalars.contains(where: \.isASCIIControl) else { return nil }
        var lines: [String] = []
        if parts[0].lowercased() == "basic" {
            guard let pair = Data(base64Encoded: String(parts[1])).map({ String(decoding: $0, as: UTF8.self) }),
                let colon = pair.firstIndex(of: ":"), !pair.contains(where: \.isNewline)
            else { return nil }
            lines = ["username=\(pair[..<colon])", "password=\(pair[pair.index(after: colon)...])"]
        } else if capabilities.contains("authtype") {
            lines = ["capability[]=authtype", "authtype=\(parts[0])", "credential=\(parts[1])", "ephemeral=1"]
        } else if parts[0].lowercased() == "bearer" {
            lines = ["username=\(values["username"] ?? username)", "password=\(parts[1])"]
        } else {
            return nil
        }
        if let expiresAt { lines.append("password_expiry_utc=\(Int(expiresAt.timeIntervalSince1970))") }
        return lines.joined(separator: "\n") + "\n"
    }
}
