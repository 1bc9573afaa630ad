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
        do {
            let address = try AppAddress(text, example: "https://quizzler.example/callback")
            if !(allowingLoopback && address.scheme == "http" && address.isLoopback) {
                guard address.scheme == "https" else { throw AppAddress.Refusal(reason: "it must begin with https://") }
                guard !address.isLoopback else {
                    throw AppAddress.Refusal(
                        reason: "it may not be localhost; a development server (`--development`) allows that")
                }
                try address.requireDomainName()
            }
        } catch let refusal as AppAddress.Refusal {
            throw Problem(text: text, reason: refusal.reason)
        }
        self.text = text
    }
}
