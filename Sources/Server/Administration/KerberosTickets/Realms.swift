import Directory
import Storage

/// Lists the realms of Kerberos whose tickets sign people of an organization in.
package struct ListRealms: Inquiry {
    package static let name = "realm.list"
    package static let summary = "Lists the realms of Kerberos whose tickets sign people in."
    package static let privilege = Privilege.manageOrganization
    package static let route = OperationRoute(.get, "realms")
    package static let explanations: [String: String] = [:]

    package struct Answer: Codable, Sendable {
        package let realms: [RealmRecord]
        /// Whose keys the server has, such as `HTTP/id.maple.example`; nil if it takes no tickets.
        package let service: String?
    }

    package init() {}

    package func answer(
        about organization: Organization, in context: OperationContext, _ transaction: some Transaction
    ) throws -> Answer {
        Answer(
            realms: try KerberosRealm.list(of: organization.id, in: transaction).map {
                try RealmRecord($0, of: organization, in: transaction)
            }, service: context.services.kerberosService)
    }
}

/// Says how many people a rule would sign in, before it is set.
package struct ShowRealmReach: Inquiry {
    package static let name = "realm.reach"
    package static let summary = "Tells how many people have a name that a ticket of a realm could have."
    package static let privilege = Privilege.manageOrganization
    package static let route = OperationRoute(.get, "realm-reach")
    package static let explanations = SetRealm.explanations.filter { $0.key != "realm" }

    package struct Answer: Codable, Sendable {
        /// How many people of the organization have a name that a ticket can have.
        package let people: Int
        /// How many people have the same name as somebody else, so that no ticket would sign them in.
        package let ambiguous: Int
    }

    package let matching: KerberosRealm.Matching
    package let domain: String?

    package init(matching: KerberosRealm.Matching, domain: String? = nil) {
        self.matching = matching
        self.domain = domain
    }

    package func answer(
        about organization: Organization, in context: OperationContext, _ transaction: some Transaction
    ) throws -> Answer {
        // The name of the realm makes no difference.
        let reach = try KerberosRealm(name: "REALM", matching: matching, domain: domain)
            .reach(in: organization.id, transaction)
        return Answer(people: reach.people, ambiguous: reach.ambiguous)
    }
}

/// Has tickets of a realm sign people in, or changes whom its names mean.
package struct SetRealm: Change {
    package typealias Answer = RealmRecord

    package static let name = "realm.set"
    package static let summary = "Has tickets of a realm of Kerberos sign people in, and says whom its names mean."
    package static let privilege = Privilege.manageOrganization
    package static let route = OperationRoute(.post, "realms")
    package static let explanations = [
        "realm":
            "The realm, such as MAPLE.EXAMPLE. It is a domain that the organization has verified, or lies in one and in no longer one of another organization; the operator of the server may name any.",
        "matching":
            "What the name before the @ of a ticket is of a person: the user name, the name in the information system, or the person number.",
        "domain":
            "For user names: what follows the name and an @, such as maple.example. Without it the user name is the name.",
    ]
    package static let worksInSandboxes = false
    package static let undo = UndoRule.possible
    package static let mayChangeNothing = true
    package static let hasBulkForm = false

    package let realm: String
    package let matching: KerberosRealm.Matching
    package let domain: String?

    package init(realm: String, matching: KerberosRealm.Matching, domain: String? = nil) {
        self.realm = realm
        self.matching = matching
        self.domain = domain
    }

    package func subject(in context: OperationContext, _ transaction: some Transaction) throws -> RealmToBe {
        try context.realmToChange(realm, transaction)
    }

    package func carryOut(on subject: RealmToBe, _: Void, in act: Act) throws -> RealmRecord {
        let (organization, before) = (subject.organization, subject.former)
        let after = try KerberosRealm(
            name: subject.name, matching: matching, domain: domain,
            isGiven: act.context.authority.isOperator || before?.isGiven == true)
        guard after != before else { return try RealmRecord(after, of: organization, in: act.transaction) }
        if before == nil { try check(subject, in: act) }
        let isTaken = try before == nil && takeOver(subject, in: act)
        guard try after.put(for: organization.id, at: act.now, in: act.transaction) else {
            throw OperationError.refused(
                "Another organization of this server takes the tickets of \(after.name). A realm belongs to one.")
        }
        try act.record(
            .organizationChanged, on: organization, called: after.name,
            "tickets of \(after.name) sign people in, names as \(after.names)")
        if let before {
            act.undo(by: SetRealm(restoring: before))
        } else if !isTaken {
            act.undo(by: RemoveRealm(realm: after.name))
        }
        let reach = try after.reach(in: organization.id, act.transaction)
        try KeptNumbers.note(of: organization.id, in: act.transaction) { $0.set(reach, of: after) }
        return try RealmRecord(after, of: organization, reach: reach, in: act.transaction)
    }

    /// Otherwise an organization could take the realm of another one, whose people would then be signed in nowhere.
    private func check(_ subject: RealmToBe, in act: Act) throws {
        let organization = subject.organization
        guard
            try KerberosRealm.list(of: organization.id, in: act.transaction).count < KerberosRealm.perOrganizationMax
        else {
            throw OperationError.refused(
                "\(organization.name) has \(KerberosRealm.perOrganizationMax) realms. Remove one first.")
        }
        guard !act.context.authority.isOperator else { return }
        let domains = try KerberosRealm.domains(around: subject.name, in: act.transaction)
        let own = domains.first { $0.organization == organization.id }
        // What the organization has removed itself comes back as it was, also where the operator had given it. What the
        // operator has removed, the operator brings back.
        let comesBack = act.undoing.map { !$0.isOperators } ?? false
        guard own != nil || comesBack else {
            throw OperationError.refused(
                """
                \(subject.name) lies in no domain that \(organization.name) has verified. Verify its domain first, or ask \
                whoever runs the server to add the realm.
                """)
        }
        guard domains.first.map({ $0.organization == organization.id }) ?? true else {
            throw OperationError.refused(
                """
                \(subject.name) lies in \(own.map { "a part of \($0.name)" } ?? "a domain") that another organization of this \
                server has verified, which decides about it. Ask whoever runs the server if that is not right.
                """)
        }
    }

    /// Takes the realm from an organization that got it before this one had verified the longest domain around it. What the
    /// operator has given stays where it is.
    /// - Returns: whether it was taken.
    private func takeOver(_ subject: RealmToBe, in act: Act) throws -> Bool {
        let organization = subject.organization.id
        guard let (realm, holder) = try KerberosRealm.holder(of: subject.name, in: act.transaction),
            holder != organization, !realm.isGiven, !act.isUndoing, !act.context.authority.isOperator,
            // See `check`: it is this organization's own.
            let longest = try KerberosRealm.domains(around: subject.name, in: act.transaction).first
        else { return false }
        try realm.delete(of: holder, in: act.transaction)
        // No effect of this change that its caller reads: it is in the trail of the other organization alone, which must not
        // learn from where somebody of this one works.
        try AuditEntry(
            .organizationChanged, by: .system, on: "organization:\(holder.rawValue)", outcome: .done,
            detail:
                "tickets of \(realm.name) sign nobody in any more: another organization has verified \(longest.name)",
            from: .system
        ).append(to: holder, at: act.now, in: act.transaction)
        return true
    }
}

extension SetRealm {
    fileprivate init(restoring realm: KerberosRealm) {
        self.init(realm: realm.name, matching: realm.matching, domain: realm.domain)
    }
}

/// Has tickets of a realm sign nobody in any more. Whoever is signed in stays so.
package struct RemoveRealm: Change {
    package typealias Answer = RealmRecord

    package static let name = "realm.remove"
    package static let summary = "Has tickets of a realm sign nobody in any more. Whoever is signed in stays so."
    package static let privilege = Privilege.manageOrganization
    package static let route = OperationRoute(.delete, "realms/{realm}")
    package static let explanations = ["realm": "The realm, such as MAPLE.EXAMPLE."]
    package static let worksInSandboxes = false
    package static let undo = UndoRule.possible
    package static let hasBulkForm = false

    package let realm: String

    package init(realm: String) { self.realm = realm }

    package func subject(in context: OperationContext, _ transaction: some Transaction) throws -> RealmToBe {
        let subject = try context.realmToChange(realm, transaction)
        guard subject.former != nil else {
            throw OperationError.notFound(.realm, realm, in: subject.organization.name)
        }
        return subject
    }

    package func carryOut(on subject: RealmToBe, _: Void, in act: Act) throws -> RealmRecord {
        guard let former = subject.former else {
            throw OperationError.notFound(.realm, realm, in: subject.organization.name)
        }
        let organization = subject.organization
        let record = try RealmRecord(former, of: organization, in: act.transaction)
        try former.delete(of: organization.id, in: act.transaction)
        try act.record(
            .organizationChanged, on: organization, called: former.name,
            "tickets of \(former.name) sign nobody in any more")
        act.undo(by: SetRealm(restoring: former))
        return record
    }
}
