import Accounts
import Directory
import Foundation
import Mail
import Storage

/// The people whom ``IssuePasswords`` is about, as far as the caller reaches them.
package struct PasswordRecipients: OperationSubject {
    let organization: Organization
    /// The class that was asked for.
    let rosterClass: ClassID?
    /// The location that was asked for.
    let location: LocationID?
    /// Who is to get a password.
    let people: [PasswordRecipient]
    /// Who gets none because the roles that were asked for are over.
    let formerHolders: [Person]
    /// How many people have a password already, and keep it.
    let keptCount: Int
    /// Whether there are such people, but the caller may give a password to none of them.
    private let isOutOfReach: Bool

    /// One change is one transaction, during which others have to wait.
    package static let countMax = 10_000

    /// - Parameter withPassword: whether people who have a password already get another one.
    init(
        of organization: Organization, class rosterClass: ClassID?, at location: LocationID?, role: Role?,
        withPassword: Bool, _ context: OperationContext, in transaction: some Transaction
    ) throws {
        self.organization = organization
        self.rosterClass = rosterClass
        self.location = location
        func page(within reach: PersonFilter.Reach?, after last: PersonID, _ limit: Int) throws -> [Person] {
            try Person.page(
                of: organization.id,
                matching: PersonFilter(role: role, location: location, rosterClass: rosterClass, within: reach),
                after: last, limit: limit, in: transaction)
        }
        let reach = context.authority.reach(of: .issuePasswords)
        var (people, former, keptCount, isAnybodyReached) = ([PasswordRecipient](), [Person](), 0, false)
        let caller = context.authority.actor.text
        var last = PersonID.none
        while case let found = try page(within: reach, after: last, 500), let end = found.last {
            last = end.id
            for person in found {
                guard try person.isOpen(to: context.authority, for: .issuePasswords, in: transaction) else { continue }
                isAnybodyReached = true
                // Whoever asks keeps their own password: they would be signed out before they had seen the new one.
                guard person.state != .deactivated, Actor.person(person.id).text != caller else { continue }
                let recipient = try PasswordRecipient(person, in: transaction)
                let isFormer = recipient.isFormerHolder(of: role, at: location, context.now)
                guard recipient.passwordHash == nil || withPassword else {
                    keptCount += isFormer ? 0 : 1
                    continue
                }
                guard !isFormer else {
                    former.append(person)
                    continue
                }
                people.append(recipient)
            }
            guard people.count <= Self.countMax else {
                throw OperationError.refused(
                    "These are more than \(Self.countMax) people. Name a location, a class or a role.")
            }
        }
        self.people = people
        formerHolders = former
        self.keptCount = keptCount
        isOutOfReach = try !isAnybodyReached && !page(within: nil, after: .none, 1).isEmpty
    }

    package var subjectOrganization: OrganizationID? { organization.id }
    package var auditName: String { organization.auditName }

    /// A caller who reaches only a part of the people is not refused, and gives passwords to that part, just as lists
    /// show a part. A caller who reaches none of them is refused.
    package func isOpen(
        to authority: Authority, for privilege: Privilege, in transaction: some Transaction
    ) -> Bool { authority.has(privilege) && !isOutOfReach }
}

/// A person who is to get a password, with the record as it was when it was read.
struct PasswordRecipient: Sendable {
    let person: Person
    let policy: PasswordPolicy
    /// Whether they are a pupil somewhere, whatever they are besides.
    let isPupil: Bool
    /// Nil if they have no password.
    let passwordHash: String?
    private let roles: [PersonFacts.HeldRole]

    init(_ person: Person, in transaction: some Transaction) throws {
        self.person = person
        let facts = try PersonFacts.read(of: person.id, in: transaction)
        policy = facts.passwordPolicy(own: person.passwordPolicy)
        roles = facts.roles
        isPupil = facts.roles.contains { $0.assignment.role == .student }
        passwordHash = try Credential.find(for: person.id, in: transaction)?.passwordHash
    }

    /// Whether the roles that were asked for stand in the record, but are all over. A role that is yet to begin counts:
    /// whoever comes next week has to be able to sign in on the first day.
    /// - Parameters:
    ///   - role: nil for any.
    ///   - location: nil for any place.
    func isFormerHolder(of role: Role?, at location: LocationID?, _ now: Date) -> Bool {
        let held = roles.filter {
            (role == nil || $0.assignment.role == role) && (location == nil || $0.assignment.location == location)
        }
        return !held.isEmpty && held.allSatisfy { $0.period.state(at: now) == .past }
    }

    /// Where a letter with their password can go, or why they get none.
    enum LetterBox: Equatable {
        case address(MailAddress)
        case noLetter(IssuedPasswords.NoLetter)
    }

    func letterBox(in transaction: some Transaction) throws -> LetterBox {
        // Pupils get slips: an address in their record is often that of a parent.
        guard !isPupil else { return .noLetter(.pupil) }
        return switch try OwnAddress.of(person, in: transaction) {
        case .certain(let address): .address(address)
        case .missing: .noLetter(.noAddress)
        case .uncertain: .noLetter(.notVerified)
        }
    }

    /// Why a password that was made earlier must not be given now; nil if nothing has changed.
    func reasonToLeaveOut(_ prepared: PreparedPassword) -> IssuedPasswords.LeftOut.Reason? {
        // If two ask at once, the second would make the slips of the first one worthless.
        guard passwordHash == prepared.recipient.passwordHash else { return .password }
        // A pupil's code of four digits must not open the account of somebody who has become a teacher.
        return policy == prepared.recipient.policy ? nil : .roles
    }
}
