import Authorization
import Directory
import Foundation
import Ground
import Storage

/// Reads what an organization takes with it when it leaves, besides its roster files and its audit trail. Nothing
/// secret is in it: neither passwords, nor keys, nor tokens, not even as hashes.
///
/// Only the operator hands an organization over, also one that is closed.
package struct HandOver: Sendable {
    private let administrator: Administrator
    package let organization: Organization
    private var place: OrganizationReference { .named(organization.publicID) }

    private static let peopleAtOnce = 50

    /// - Throws: ``OperationError``
    package init(of reference: OrganizationReference, by administrator: Administrator) async throws {
        self.administrator = administrator
        organization = try await administrator.database.read { transaction in
            try administrator.context(of: ReopenOrganization.self, in: reference, transaction)
                .requiredOrganization(transaction)
        }
    }

    /// What the organization has decided.
    package struct Settings: Codable, Sendable {
        package let organization: OrganizationRecord
        package let locations: [LocationRecord]
        package let terms: [TermRecord]
        /// To which apps people sign in, and which apps read.
        package let access: [AccessRecord]
        /// Also those that have ended.
        package let consents: [ConsentRecord]
        /// How long a consent lasts that is given now.
        package let consentTerm: String
        /// The sharing rules: what an app is shown, for each app from which the organization keeps something.
        package let sharing: [SharingRecord]
        package let retention: [RetentionRecord]
        package let holds: [HoldRecord]
        /// What each role may do.
        package let roles: [RoleRecord]
    }

    package func settings() async throws -> Settings {
        var locations: [LocationRecord] = []
        var after: Int64?
        repeat {
            let page = try await administrator.ask(ListLocations(after: after, limit: 1_000), in: place)
            locations += page.locations
            after = page.next
        } while after != nil
        var access = [try await administrator.ask(ShowAccess<SigningIn>(), in: place)]
        if organization.kind == .school {
            access.append(try await administrator.ask(ShowAccess<DataSharing>(), in: place))
        }
        let consents = try await administrator.ask(ListConsents(), in: place)
        let id = organization.id
        var sharing: [SharingRecord] = []
        for app in try await administrator.database.read({ try SharingRules.apps(limitedBy: id, in: $0) }) {
            sharing.append(try await administrator.ask(ShowSharing(app: AppReference(app)), in: place))
        }
        return Settings(
            organization: try await administrator.ask(ShowOrganization(), in: place), locations: locations,
            terms: try await administrator.ask(ListTerms(), in: place).terms, access: access,
            consents: consents.consents, consentTerm: consents.term, sharing: sharing,
            retention: try await administrator.ask(ListRetention(), in: place).rules,
            holds: try await administrator.ask(ListHolds(), in: place).holds,
            roles: try await administrator.ask(ListRoles(), in: place).roles)
    }

    /// All that is known of each person, by number. A record that was merged into another one is in that one's.
    /// - Parameter receive: is called with one after the other.
    /// - Returns: how many people there are.
    package func people(_ receive: (PersonData) throws -> Void) async throws -> Int {
        let (organization, now) = (organization, administrator.services.surroundings.now())
        var (count, last) = (0, PersonID.none)
        while true {
            let start = last
            let (end, data) = try await administrator.database.read { transaction in
                let page = try Person.page(
                    of: organization.id, after: start, limit: Self.peopleAtOnce, in: transaction)
                let kept = try page.filter { try PersonMerge.destination(of: $0.id, in: transaction) == nil }
                return (page.last?.id, try kept.map { try PersonData(of: $0, in: organization, at: now, transaction) })
            }
            try data.forEach(receive)
            count += data.count
            guard let end else { return count }
            last = end
        }
    }

    /// All classes with their members, those that are archived and those that were made by hand too.
    /// - Parameter receive: is called with one after the other.
    /// - Returns: how many classes there are.
    package func classes(_ receive: (ClassRecord) throws -> Void) async throws -> Int {
        var count = 0
        for isArchived in [false, true] {
            var after: Int64?
            repeat {
                let page = try await administrator.ask(
                    ListClasses(archived: isArchived, after: after, limit: 1_000), in: place)
                for summary in page.classes {
                    let reference = ClassReference(ClassID(rawValue: summary.number))
                    try receive(try await administrator.ask(ShowClass(class: reference), in: place))
                }
                count += page.classes.count
                after = page.next
            } while after != nil
        }
        return count
    }

    /// Writes into the audit trail that everything is handed over, before anybody can have it.
    package func note(people: Int, classes: Int) async throws {
        let (organization, now) = (organization, administrator.services.surroundings.now())
        let origin = administrator.origin
        try await administrator.database.write { transaction in
            try AuditEntry(
                .organizationHandedOver, by: .operator, on: organization.auditName, outcome: .done,
                detail: "people \(people), classes \(classes)", from: origin, mentioning: [.everybody]
            ).append(to: organization.id, at: now, in: transaction)
        }
    }
}
