import Directory
import Foundation

/// The relay between apps and the people behind hidden addresses.
package struct RelayConfiguration: Sendable {
    /// What hidden addresses end in; lower case. Addresses that were given out keep the domain they have.
    package let domain: String

    /// - Throws: ``Problem``
    package init(domain: String) throws {
        guard let domain = try? FieldRule.domainName.check(domain.lowercased(), field: "domain") else {
            throw Problem.malformedDomain(domain)
        }
        self.domain = domain
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
}
