import Foundation

/// The address of an app's server that gets notifications: `https`, with host and path. A development server also
/// takes `http` on loopback.
package struct NotificationURL: Hashable, Sendable {
    package let text: String

    package struct Problem: Error, Equatable, CustomStringConvertible {
        package let text: String
        package let reason: String
        package var description: String { "“\(text)” is no notification URL: \(reason)." }
    }

    /// - Throws: ``Problem``
    package init(_ text: String, allowingLoopback: Bool) throws {
        func refuse(_ reason: String) -> Problem { Problem(text: text, reason: reason) }
        guard let url = URLComponents(string: text), let host = url.host, !host.isEmpty, text.utf8.count <= 2_048 else {
            throw refuse("write a whole address such as https://quizzler.example/notifications")
        }
        guard text.utf8.allSatisfy({ (0x21...0x7e).contains($0) }) else { throw refuse("percent-encode it") }
        guard !url.path.isEmpty else { throw refuse("it must have a path, if only /") }
        guard url.fragment == nil else { throw refuse("it may not have a fragment (#)") }
        guard url.user == nil, url.password == nil else { throw refuse("it may not name a user") }
        let isLoopback = Loopback.contains(host: host)
        switch url.scheme {
        case "https": break
        case "http" where isLoopback && allowingLoopback: break
        case "http" where isLoopback: throw refuse("http on loopback is for a development server (`--development`)")
        default: throw refuse("it must begin with https://")
        }
        self.text = text
    }
}
