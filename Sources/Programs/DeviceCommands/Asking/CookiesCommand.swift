import ArgumentParser
import CommandOutput
import SingleSignOnClient

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

struct CookiesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cookies",
        abstract: "Open a page as a browser would, sign in where it leads to, and print its cookies.",
        discussion: """
            Whoever has the cookies has the session. `lanyard-sso curl` uses them without showing them. The identity \
            provider's own are not among them where the extension keeps them for itself, as the one for OpenID Connect \
            does: name a page of the site that you want to come to. Exit codes: 1 if there are no cookies; see `request`.
            """)

    @OptionGroup var output: OutputOptions
    @OptionGroup var ask: AskOptions

    @Argument(help: "The page.")
    var url: AskedURL

    @Flag(help: "As a cookie file of curl and wget, with the cookies of all sites that were passed through.")
    var netscape = false

    func run() async throws {
        try await reportingSingleSignOn {
            let jar = try await SignOn(options: ask).session(url.text)
            guard let url = URL(string: url.text) else { return }
            let cookies = netscape ? jar.all : jar.all.filter { $0.goes(to: url) }
            guard !cookies.isEmpty else {
                throw SingleSignOnFailure(
                    .failure,
                    """
                    No cookie goes to \(self.url.text). If it is the identity provider's, the session with it is the \
                    extension's own: name a page of the site that you want to come to.
                    """)
            }
            if netscape, !output.json {
                // Written without escaping: the cookie jar refuses control characters, and the format needs its tabs.
                return StandardOutput.output.write(CookieFile.text(cookies).utf8)
            }
            try output.print(cookies) { cookies.map { "\($0.name)=\($0.value)" }.joined(separator: "\n") }
        }
    }
}

/// The Netscape cookie file format, which curl and wget read.
enum CookieFile {
    static func text(_ cookies: [CookieJar.Exported]) -> String {
        let lines = cookies.map { cookie in
            let domain = cookie.isHTTPOnly ? "#HttpOnly_\(cookie.host)" : cookie.host
            let expires = cookie.expiresAt.map { "\(Int($0.timeIntervalSince1970))" } ?? "0"
            return [
                domain, "FALSE", cookie.path, cookie.isSecure ? "TRUE" : "FALSE", expires, cookie.name, cookie.value,
            ].joined(separator: "\t")
        }
        return (["# Netscape HTTP Cookie File"] + lines).joined(separator: "\n") + "\n"
    }
}
