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
        do {
            let address = try AppAddress(text, example: "https://quizzler.example/notifications")
            guard !address.path.isEmpty else { throw AppAddress.Refusal(reason: "it must have a path, if only /") }
            switch address.scheme {
            case "https" where address.isLoopback: break
            case "https": try address.requireDomainName()
            case "http" where address.isLoopback && allowingLoopback: break
            case "http" where address.isLoopback:
                throw AppAddress.Refusal(reason: "http on loopback is for a development server (`--development`)")
            default: throw AppAddress.Refusal(reason: "it must begin with https://")
            }
        } catch let refusal as AppAddress.Refusal {
            throw Problem(text: text, reason: refusal.reason)
        }
        self.text = text
    }
}
