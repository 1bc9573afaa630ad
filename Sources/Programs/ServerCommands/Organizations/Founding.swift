import CommandOutput
import Directory
import Foundation
import ServerHTTP
import Storage

/// Making an organization on this server, with its domains and a one-time link for an administrator, or finding it again.
struct Founding: Sendable {
    /// Normalized as for storing, so that it can be compared with stored names.
    let name: String
    let kind: Organization.Kind?
    /// In lower case.
    let domains: [String]
    /// nil for the standard one in the first domain.
    let userNameFormat: UserNameFormat?

    /// - Throws: ``DirectoryError`` for a name or a domain that cannot be.
    init(name: String, kind: Organization.Kind?, domains: [String], userNameFormat: UserNameFormat? = nil) throws {
        self.name = try FieldRule.name.check(name, field: "organization name")
        self.kind = kind
        self.domains = try domains.map { try FieldRule.domainName.check($0.lowercased(), field: "domain") }
        self.userNameFormat = userNameFormat
    }

    struct Result: Sendable {
        let organization: Organization
        let isNew: Bool
        /// The domains that it did not have before.
        let newDomains: [String]
        /// The path of the link at the server; nil if none was wanted.
        let linkPath: String?
    }

    /// - Parameter linksAgain: whether an organization that exists gets a new link too, which voids the old one.
    func perform(in deployment: Deployment, linksAgain: Bool) async throws -> Result {
        let now = deployment.now
        let format = userNameFormat ?? domains.first.map { .standard(domain: $0) }
        return try await deployment.database.write { transaction in
            let existing = try Organization.listOwn(in: transaction).first { $0.name == name }
            try existing?.checkIsOpen()
            let organization =
                try existing
                ?? Organization.insert(
                    name: name, kind: kind ?? .school, userNameFormat: format, at: now, in: transaction)
            let known = try Set(Domain.list(of: organization.id, in: transaction).filter(\.isVerified).map(\.name))
            // Domains are verified at once, because the operator of the server vouches for them.
            for domain in domains {
                try Domain.put(domain, verifiedAt: now, of: organization.id, at: now, in: transaction)
            }
            let newDomains = domains.filter { !known.contains($0) }
            if existing == nil {
                try AuditEntry(
                    .organizationCreated, by: .operator, on: "organization:\(organization.publicID)", outcome: .done,
                    from: .commandLine
                ).append(to: organization.id, at: now, in: transaction)
            } else {
                for domain in newDomains {
                    try AuditEntry(
                        .organizationChanged, by: .operator, on: "organization:\(organization.publicID)",
                        outcome: .done, detail: "domain \(domain) verified", from: .commandLine
                    ).append(to: organization.id, at: now, in: transaction)
                }
            }
            let wantsLink = existing == nil || linksAgain
            let path =
                wantsLink
                ? try Invitation.issuePath(
                    for: organization, at: now, from: deployment.surroundings, in: transaction) : nil
            return Result(organization: organization, isNew: existing == nil, newDomains: newDomains, linkPath: path)
        }
    }
}
