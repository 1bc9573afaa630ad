import Directory
import Foundation

/// The relay between apps and the people behind hidden addresses.
package struct RelayConfiguration: Sendable {
    /// What hidden addresses end in; lower case. Addresses that were given out keep the domain they have.
    package let domain: String
    /// Nil: no mail server asks, so that hidden addresses take no mail.
    package let listeners: Listeners?

    /// Where a mail server asks, one address a protocol.
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

    /// How the verifiers of SPF and DKIM call themselves in what they write.
    package var spfAuthority: String { "spf.\(domain)" }
    package var dkimAuthority: String { "dkim.\(domain)" }
}
