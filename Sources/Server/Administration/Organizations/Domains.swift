import Directory
import DomainNames
import Storage

/// Lists the domains in which user names and email addresses of an organization lie.
package struct ListDomains: Inquiry {
    package static let name = "domain.list"
    package static let summary = "Lists the domains in which user names and email addresses of an organization lie."
    package static let privilege = Privilege.manageOrganization
    package static let route = OperationRoute(.get, "domains")
    package static let explanations: [String: String] = [:]

    package struct Answer: Codable, Sendable {
        package let domains: [DomainRecord]
    }

    package init() {}

    package func answer(
        about organization: Organization, in context: OperationContext, _ transaction: some Transaction
    ) throws -> Answer {
        Answer(
            domains: try Domain.list(of: organization.id, in: transaction).map { domain in
                DomainRecord(
                    domain,
                    record: domain.isVerified
                        ? nil : DomainProof(of: domain.name, by: organization, under: context.services.masterKey))
            })
    }
}

/// Adds a domain. It counts for nothing until a TXT record shows that it is the organization's, or the operator of the
/// server vouches for it.
package struct AddDomain: Change {
    package typealias Answer = DomainRecord

    package static let name = "domain.add"
    package static let summary = "Adds a domain. It counts for nothing until it is verified."
    package static let privilege = Privilege.manageOrganization
    package static let route = OperationRoute(.post, "domains")
    package static let explanations = [
        "domain": "The domain, such as maple.example.",
        "verified": "Whether it is known to be the organization's. Only the operator of the server says so.",
    ]
    package static let worksInSandboxes = false
    package static let undo = UndoRule.possible
    package static let mayChangeNothing = true

    package let domain: String
    package let verified: Bool?

    package init(domain: String, verified: Bool? = nil) {
        self.domain = domain
        self.verified = verified
    }

    package func subject(in context: OperationContext, _ transaction: some Transaction) throws -> DomainToBe {
        guard verified != true || context.authority.isOperator else {
            throw OperationError.forbidden(.operateServer)
        }
        let organization = try context.organizationToChange(transaction)
        let name = try FieldRule.domainName.check(domain.lowercased(), field: "domain")
        return DomainToBe(
            organization: organization, name: name, former: try organization.domain(name, transaction))
    }

    package func carryOut(on subject: DomainToBe, _: Void, in act: Act) throws -> DomainRecord {
        let isVerified = verified == true
        let (organization, name, before) = (subject.organization, subject.name, subject.former)
        try Domain.put(
            name, verifiedAt: isVerified ? act.now : nil, of: organization.id, at: act.now, in: act.transaction)
        let after = try act.context.findDomain(name, of: organization, act.transaction)
        if after != before {
            try act.record(
                .organizationChanged, on: organization, called: name,
                "domain \(name) \(isVerified ? "verified" : "added, not verified")")
            // Adding a domain can be undone. Verifying one that was there before cannot, because user names in it may
            // have been given since.
            if before == nil { act.undo(by: RemoveDomain(domain: name)) }
        }
        return DomainRecord(
            after,
            personalAccounts: act.context.authority.isOperator
                ? try Person.countPersonal(in: name, act.transaction) : nil)
    }
}

/// Says that a domain is the organization's.
package struct VerifyDomain: Change {
    package typealias Answer = DomainRecord

    package static let name = "domain.verify"
    package static let summary = "Says that a domain is the organization's. Only the operator of the server does."
    package static let privilege = Privilege.operateServer
    package static let route = OperationRoute(.post, "domains/{domain}/verify")
    package static let explanations = ["domain": "The domain, such as maple.example."]
    package static let worksInSandboxes = false
    package static let undo = UndoRule.impossible(
        "User names may have been given in it by then; domain.remove takes it from the organization.")

    package let domain: String

    package init(domain: String) { self.domain = domain }

    package func subject(in context: OperationContext, _ transaction: some Transaction) throws -> ClaimedDomain {
        try context.claimedDomain(domain, transaction)
    }

    package func carryOut(on subject: ClaimedDomain, _: Void, in act: Act) throws -> DomainRecord {
        let (organization, found) = (subject.organization, subject.domain)
        try subject.checkIsUnverified()
        try Domain.put(found.name, verifiedAt: act.now, of: organization.id, at: act.now, in: act.transaction)
        try act.record(.organizationChanged, on: organization, called: found.name, "domain \(found.name) verified")
        return DomainRecord(
            try act.context.findDomain(found.name, of: organization, act.transaction),
            personalAccounts: try Person.countPersonal(in: found.name, act.transaction))
    }
}

/// Finds out by a TXT record that a domain is the organization's.
package struct ProveDomain: Change {
    package typealias Answer = DomainRecord

    package static let name = "domain.prove"
    package static let summary = "Verifies a domain, if its zone has the TXT record that domain.list names."
    package static let privilege = Privilege.manageOrganization
    package static let route = OperationRoute(.post, "domains/{domain}/prove")
    package static let explanations = ["domain": "The domain, such as maple.example."]
    package static let worksInSandboxes = false
    package static let undo = UndoRule.impossible(
        "User names may have been given in it by then; domain.remove takes it from the organization.")
    package static let hasBulkForm = false

    /// There is a preparation only if the TXT record was found.
    package struct Preparation: Sendable {}

    package let domain: String

    package init(domain: String) { self.domain = domain }

    package func subject(in context: OperationContext, _ transaction: some Transaction) throws -> ClaimedDomain {
        let claimed = try context.claimedDomain(domain, transaction)
        try claimed.checkIsUnverified()
        return claimed
    }

    package func prepare(for subject: ClaimedDomain, in context: OperationContext) async throws -> Preparation {
        let proof = DomainProof(of: subject.domain.name, by: subject.organization, under: context.services.masterKey)
        do {
            let found = try await context.services.textRecords.find(at: proof.name)
            guard !found.contains(proof.value) else { return Preparation() }
            throw OperationError.refused(
                """
                \(proof.name) has a TXT record, but not the one that was asked for. It has to be exactly \
                “\(proof.value)”. A name server can go on for some hours with what the zone had before.
                """)
        } catch let failure as TextRecordFailure {
            throw OperationError.refused(failure.explanation(of: proof))
        }
    }

    package func blankPreparation(for subject: ClaimedDomain, in context: OperationContext) -> Preparation {
        Preparation()
    }

    package func carryOut(on subject: ClaimedDomain, _: Preparation, in act: Act) throws -> DomainRecord {
        let (organization, name) = (subject.organization, subject.domain.name)
        try Domain.put(name, verifiedAt: act.now, of: organization.id, at: act.now, in: act.transaction)
        try act.record(
            .organizationChanged, on: organization, called: name, "domain \(name) verified by its TXT record")
        return DomainRecord(try act.context.findDomain(name, of: organization, act.transaction))
    }
}

/// Takes a domain from an organization. User names and email addresses in it stay as they are.
package struct RemoveDomain: Change {
    package typealias Answer = DomainRecord

    package static let name = "domain.remove"
    package static let summary = "Takes a domain from an organization. Names and addresses in it stay as they are."
    package static let privilege = Privilege.manageOrganization
    package static let route = OperationRoute(.delete, "domains/{domain}")
    package static let explanations = ["domain": "The domain, such as maple.example."]
    package static let worksInSandboxes = false
    package static let undo = UndoRule.possible

    package let domain: String

    package init(domain: String) { self.domain = domain }

    package func subject(in context: OperationContext, _ transaction: some Transaction) throws -> ClaimedDomain {
        try context.claimedDomain(domain, transaction)
    }

    package func carryOut(on subject: ClaimedDomain, _: Void, in act: Act) throws -> DomainRecord {
        let (organization, found) = (subject.organization, subject.domain)
        _ = try Domain.delete(found.name, of: organization.id, at: act.now, in: act.transaction)
        try act.record(.organizationChanged, on: organization, called: found.name, "domain \(found.name) removed")
        // Only the operator may say that a domain is verified, also by taking its removal back.
        let comesBackVerified = found.isVerified && act.context.authority.isOperator
        act.undo(by: AddDomain(domain: found.name, verified: comesBackVerified ? true : nil))
        return DomainRecord(found)
    }
}
