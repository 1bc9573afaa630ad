import Directory
import Storage

/// What administrators see of a realm of Kerberos whose tickets sign people in.
package struct RealmRecord: Codable, Equatable, Sendable, Versioned {
    package let realm: String
    package let matching: KerberosRealm.Matching
    /// What follows the name and an `@` in user names; nil for another matching, and if user names are the names.
    package let domain: String?
    /// How many people of the organization have a name that a ticket can have. In an organization of more than 2 000 people
    /// this and ``ambiguous`` are up to ten minutes old, see ``KeptNumbers``.
    package let people: Int
    /// How many people have the same name as somebody else, so that no ticket signs them in.
    package let ambiguous: Int
    /// See ``OperationSubject/version(in:)``.
    package let version: String

    /// - Parameter counted: whom its tickets sign in, if that was counted just now.
    init(
        _ realm: KerberosRealm, of organization: Organization, reach counted: KerberosRealm.Reach? = nil,
        in transaction: some Transaction
    ) throws {
        let reach =
            try counted ?? KeptNumbers.find(of: organization.id, in: transaction)?.reach(of: realm)
            ?? realm.reach(in: organization.id, transaction)
        self.realm = realm.name
        matching = realm.matching
        domain = realm.domain
        people = reach.people
        ambiguous = reach.ambiguous
        version = realm.version
    }
}

extension KerberosRealm {
    /// Changes with whom the realm's names mean.
    var version: String {
        let text = [name, matching.rawValue, domain ?? ""].joined(separator: "\u{0}")
        return .version(of: text.utf8)
    }

    /// What names of the realm are, in English.
    var names: String { matching.names(in: domain) }
}

extension KerberosRealm.Matching {
    fileprivate func names(in domain: String?) -> String {
        switch self {
        case .userName: domain.map { "user names in \($0)" } ?? "user names"
        case .sisUserName: "names in the information system"
        case .personNumber: "person numbers"
        }
    }
}

extension RealmRecord {
    /// What names of the realm are, in English.
    package var names: String { matching.names(in: domain) }
}

/// A realm that an organization has, or may have. Whoever changes it decides whom a ticket signs in, an Administrator too,
/// so that it is open to those alone who may make somebody one.
package struct RealmToBe: OperationSubject {
    let organization: Organization
    let name: String
    /// Nil if the organization does not have it.
    let former: KerberosRealm?

    package var subjectOrganization: OrganizationID? { organization.id }
    package var auditName: String { organization.auditName }

    package func isOpen(
        to authority: Authority, for privilege: Privilege, in transaction: some Transaction
    ) -> Bool {
        authority.makesAdministrators(of: organization.id, by: privilege)
    }

    package func version(in transaction: some Transaction) -> String? { former?.version ?? .versionOfNothing }
}

extension OperationContext {
    /// For a change of a realm, which the organization may not have yet.
    func realmToChange(_ name: String, _ transaction: some Transaction) throws -> RealmToBe {
        let organization = try organizationToChange(transaction)
        let name = try FieldRule.realm.check(name, field: "realm")
        let former = try KerberosRealm.list(of: organization.id, in: transaction).first {
            $0.name.lowercased() == name.lowercased()
        }
        return RealmToBe(organization: organization, name: name, former: former)
    }
}
