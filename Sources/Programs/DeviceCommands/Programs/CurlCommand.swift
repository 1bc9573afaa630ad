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

#if canImport(Glibc)
    import Glibc
#endif

struct CurlCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "curl",
        abstract: "Run curl with what lets a request in: lanyard-sso curl -- OPTIONS URL",
        discussion: """
            For the host of a credential extension it gets the headers that answer the challenge; with --token the access token \
            of an identity provider; otherwise the cookies with which a browser would come to the page. They reach curl \
            through files that have no name, never through its argument list; curl's own file of settings (.curlrc) is not read \
            then, for it could send them elsewhere. If nothing serves the URL, curl runs as it is. The exit code is curl's, or \
            as with `request`.
            """)

    @OptionGroup var ask: AskOptions

    @Option(help: "Send an access token of the identity provider with this URL.")
    var token: AskedURL?

    @Argument(parsing: .postTerminator, help: "curl's own arguments.")
    var arguments: [String] = []

    func validate() throws {
        let urls = try CurlArguments(arguments).urls
        guard let url = urls.first else {
            throw ValidationError("Name a URL of http or https behind --, among curl's arguments.")
        }
        // curl sends the credentials to all URLs, so they must have the same origin.
        let origins = Set(urls.map { Self.origin($0) })
        guard origins.count == 1, !origins.contains(nil) else {
            throw ValidationError("Name URLs of one host only.")
        }
        let host = URL(string: url)?.host() ?? ""
        guard token == nil || url.lowercased().hasPrefix("https:") || Loopback.contains(host: host)
        else { throw ValidationError("A token is not sent without TLS: the URL begins with https.") }
    }

    private var url: String? { try? CurlArguments(arguments).urls.first }

    private static func origin(_ url: String) -> String? {
        guard let url = URL(string: url), let host = url.host() else { return nil }
        return "\(url.scheme?.lowercased() ?? "")://\(host.lowercased()):\(url.port ?? 0)"
    }

    func run() async throws {
        var config: [String] = []
        try await reportingSingleSignOn {
            guard let url else { return }
            config = try await configuration(for: url)
        }
        try exec(config.joined(separator: "\n"))
    }

    /// Lines for curl's `--config`.
    private func configuration(for url: String) async throws -> [String] {
        let signOn = SignOn(options: ask)
        do {
            if let token {
                guard let access = try await signOn.tokens(token.text).accessToken else {
                    throw SingleSignOnFailure(.failure, "The extension's answer holds no access token.")
                }
                return [Self.line("header", "Authorization: Bearer \(access)")]
            }
            if let headers = try await signOn.challengeHeaders(url) {
                // When curl follows a redirection to another host, it drops the header Authorization but no others.
                return headers.filter { $0.name.lowercased() == "authorization" }.map {
                    Self.line("header", "\($0.name): \($0.value)")
                }
            }
            let cookies = try await signOn.session(url).all
            guard !cookies.isEmpty else { return [] }
            return [Self.line("cookie", try Self.path(of: CookieFile.text(cookies)))]
        } catch let problem as BrokerUnavailable where token == nil {
            printToStandardError("\(problem) curl goes on without it.")
            return []
        }
    }

    /// A line of curl's configuration file, with the escapes of its strings.
    private static func line(_ name: String, _ value: String) -> String {
        let escaped = value.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
        return "\(name) = \"\(escaped)\""
    }

    /// Makes an unnamed temporary file that curl inherits. It disappears when the last process closes it.
    private static func path(of text: String) throws -> String {
        let folder = ProcessInfo.processInfo.environment["XDG_RUNTIME_DIR"].flatMap { $0.isEmpty ? nil : $0 }
        var template = Array("\(folder ?? FileManager.default.temporaryDirectory.path)/lanyard-XXXXXX".utf8CString)
        let descriptor = mkstemp(&template)
        guard descriptor >= 0 else {
            throw Failure("No file can be made for curl: \(String(cString: strerror(errno)))")
        }
        unlink(template)
        guard writeAll(text.utf8, to: descriptor) else {
            throw Failure("No file can be written for curl: \(String(cString: strerror(errno)))")
        }
        return "/proc/self/fd/\(descriptor)"
    }

    /// Replaces this process by curl, with default signal handlers.
    private func exec(_ configuration: String) throws {
        var words = ["curl"]
        // curl accepts --disable only as its first argument.
        if !configuration.isEmpty { words += ["--disable", "--config", try Self.path(of: configuration + "\n")] }
        words += arguments
        var pointers = words.map { strdup($0) } + [nil]
        var none = sigset_t()
        sigemptyset(&none)
        pthread_sigmask(SIG_SETMASK, &none, nil)
        signal(SIGPIPE, SIG_DFL)
        execvp("curl", &pointers)
        throw Failure("curl cannot be run: \(String(cString: strerror(errno)))")
    }
}
