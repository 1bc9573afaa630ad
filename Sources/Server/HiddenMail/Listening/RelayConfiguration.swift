import Directory
import Foundation

/// The relay between apps and the people behind hidden addresses.
package struct RelayConfiguration: Sendable {
    /// The domain of new hidden addresses, in lower case. Existing addresses keep their domain.
    package let domain: String
    /// Nil if no mail server connects, so that hidden addresses take no mail.
    package let listeners: Listeners?

    /// Where a mail server connects: one address for each protocol.
    package struct Listeners: Sendable {
        package let socketmap: ListenAddress
        package let policy: ListenAddress
        package let milter: ListenAddress

        package init(socketmap: ListenAddress, policy: ListenAddress, milter: ListenAddress) {
            self.socketmap = socketmap
            self.policy = policy
            self.milter = milter
        }
    }

    /// - Throws: ``Problem``
    package init(domain: String, listeners: Listeners? = nil) throws {
        guard let domain = try? FieldRule.domainName.check(domain.lowercased(), field: "domain") else {
            throw Problem.malformedDomain(domain)
        }
        self.domain = domain
        self.listeners = listeners
    }

    package enum Problem: Error, Equatable, CustomStringConvertible {
        case malformedDomain(String)

        package var description: String {
            switch self {
            case .malformedDomain(let domain):
                "“\(domain)” is no domain of a relay. Write one such as relay.id.school.example, used for nothing else."
            }
        }
    }

    /// The names of the SPF and DKIM verifiers in the headers that they write.
    package var spfAuthority: String { "spf.\(domain)" }
    package var dkimAuthority: String { "dkim.\(domain)" }
}
