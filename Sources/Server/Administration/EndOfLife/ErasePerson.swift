import Authorization
import Directory
import Foundation
import Storage

/// Erases a person whom an organization manages. Nothing takes it back, so the caller has to name the version of the
/// preview that they have seen.
///
/// The number of the record stays, and so does what has to be kept: ``PersonTable`` says what, and why. Apps that have
/// data of the person are told.
package struct ErasePerson: Change {
    package static let name = "person.erase"
    package static let summary = "Erases a person for good, and tells the apps. It needs the preview's version."
    package static let privilege = Privilege.erasePeople
    package static let route = OperationRoute(.post, "people/{person}/erase")
    package static let explanations = ["person": "User name, person id, or number, such as `PE-12`."]
    package static let undo = UndoRule.impossible(
        "What is erased is not kept anywhere. A person who comes back gets a new record.")
    package static let worksInClosedOrganizations = true
    package static let needsVersion = true
    package static let locksRoster = true

    package struct Answer: Codable, Sendable {
        /// The number of the record, which nobody else ever gets.
        package let number: Int64
        /// What went, in words.
        package let gone: [String]
        /// What stays, in sentences that say why.
        package let stays: [String]
        package let apps: [ToldApp]
    }

    package let person: PersonReference

    package init(person: PersonReference) { self.person = person }

    package func subject(in context: OperationContext, _ transaction: some Transaction) throws -> ErasableRecord {
        let person = try person.findToChange(in: context, transaction)
        // Before the record is looked at more closely, since what is found then is told by name.
        guard try person.isOpen(to: context.authority, for: Self.privilege, in: transaction) else {
            throw OperationError.forbidden(Self.privilege)
        }
        return try ErasableRecord(person, in: transaction)
    }

    package func carryOut(on subject: ErasableRecord, _: Void, in act: Act) throws -> Answer {
        let person = subject.person
        if case .person(person.id) = act.context.authority.actor {
            throw OperationError.refused("Nobody erases their own record. Ask another Administrator.")
        }
        let erasure = PersonErasure(
            subject: subject, actor: act.actor, origin: act.origin, now: act.now, surroundings: act.surroundings,
            transaction: act.transaction)
        if let refusal = try erasure.refusal() { throw refusal }
        let report = try erasure.carryOut()
        let stays = PersonTable.reasonsToStay
        try act.record(
            .personErased, on: subject, called: person.fullName, report.detail, mentioning: report.mentions)
        for (notice, app) in report.notices {
            try act.record(
                .personErased, on: subject, called: app.name, PersonErasure.Report.detail(of: notice),
                mentioning: report.mentions)
        }
        return Answer(
            number: person.id.rawValue, gone: report.gone, stays: stays,
            apps: report.notices.map { ToldApp($0.notice, $0.app) })
    }
}

extension PersonTable {
    /// What stays of a person who is erased, and why.
    package static var reasonsToStay: [String] {
        all.compactMap { if case .kept(let reason) = $0.erasing { reason } else { nil } }
            + ["Copies of the database have it until they are deleted. The list of erasures is for such a copy."]
    }
}

/// An app that was told of an erasure.
package struct ToldApp: Codable, Equatable, Sendable {
    /// Such as `app:3`.
    package let app: String
    package let name: String
    package let state: ErasureNotice.State
    /// The time of the erasure, from which on the app's answer is waited for.
    package let since: Date
    package let acknowledgedAt: Date?

    init(_ notice: ErasureNotice, _ app: App) {
        self.app = "app:\(app.id.rawValue)"
        name = app.name
        state = notice.state
        since = notice.erasedAt
        acknowledgedAt = notice.acknowledgedAt
    }
}
