import Directory
import Ground

/// The host of web pages from which people sign in to an app, such as `www.quizzler.example`. It stands for itself alone,
/// and not for its subdomains, with every port.
package struct AppDomain: Hashable, Sendable {
    /// In lower case, internationalized labels as A-labels (RFC 5890), without a final dot.
    package let name: String

    /// How many an app can have.
    package static let countMax = 100

    package enum Problem: Error, Equatable, CustomStringConvertible {
        case malformed(String, reason: String)
        case tooMany

        package var description: String {
            switch self {
            case .malformed(let text, let reason):
                "“\(text.prefix(80))\(text.count > 80 ? "…" : "")” is no domain: \(reason)."
            case .tooMany: "An app has \(AppDomain.countMax) domains at most."
            }
        }
    }

    /// - Throws: ``Problem/malformed(_:reason:)``
    package init(_ text: String) throws(Problem) {
        func refuse(_ reason: String) -> Problem { .malformed(text, reason: reason) }
        // Before it is read as a host, because reading takes long for a long text.
        guard text.utf8.count <= 4 * FieldRule.domainName.bytesMax else {
            throw refuse("it is longer than 253 characters")
        }
        guard !text.contains("*") else { throw refuse("a domain stands for itself, so name each subdomain") }
        // A host that is not in ASCII is read as a part of a URL, where these would end it.
        guard !text.contains(where: { "/:?#@\\%[]".contains($0) || $0.isWhitespace }) else {
            throw refuse("write the host alone, such as quizzler.example")
        }
        guard let host = try? WebOrigin.canonicalHost(text) else {
            throw refuse("write a host such as quizzler.example")
        }
        guard host.utf8.count <= FieldRule.domainName.bytesMax else { throw refuse("it is longer than 253 characters") }
        guard !Loopback.contains(host: host) else { throw refuse("it may not be this machine itself") }
        guard host.contains("."), AppAddress.isDomainName(host) else {
            throw refuse(
                AppAddress.endsInNumber(host)
                    ? "it must be a domain name, not an IP address" : "write a host such as quizzler.example")
        }
        name = host
    }
}
