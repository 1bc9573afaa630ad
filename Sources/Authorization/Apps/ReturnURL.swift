import Foundation

/// An address that may receive authorization codes: `https` with a domain name, no IP address, no `localhost`,
/// no fragment. A development server also takes `http` on loopback.
package struct ReturnURL: Hashable, Sendable {
    package let text: String

    package struct Problem: Error, Equatable, CustomStringConvertible {
        package let text: String
        package let reason: String
        package var description: String { "“\(text)” is no return URL: \(reason)." }
    }

    /// - Throws: ``Problem``
    package init(_ text: String, allowingLoopback: Bool) throws {
        func refuse(_ reason: String) -> Problem { Problem(text: text, reason: reason) }
        guard let url = URLComponents(string: text), let host = url.host, !host.isEmpty, text.utf8.count <= 2_048 else {
            throw refuse("write a whole address such as https://quizzler.example/callback")
        }
        guard text.utf8.allSatisfy({ (0x21...0x7e).contains($0) }) else { throw refuse("percent-encode it") }
        guard url.fragment == nil else { throw refuse("it may not have a fragment (#)") }
        guard url.user == nil, url.password == nil else { throw refuse("it may not name a user") }
        self.text = text
        if allowingLoopback, url.scheme == "http", Loopback.contains(host: host) { return }
        guard url.scheme == "https" else { throw refuse("it must begin with https://") }
        guard !Loopback.contains(host: host) else {
            throw refuse("it may not be localhost; a development server (`--development`) allows that")
        }
        let isAddress = host.contains(":") || host.split(separator: ".").last?.allSatisfy(\.isNumber) == true
        guard !isAddress, host.contains(".") else { throw refuse("it must have a domain name, not an IP address") }
    }
}
