import Authorization
import Directory
import Foundation
import Ground
import Storage

/// Asks those who decide about an app by mail whether its consent is to be renewed: six weeks before its last day, and
/// once more in the last week.
package struct ConsentReminders: Sendable {
    private let database: any Database
    private let surroundings: Surroundings
    private let mail: AdministratorMail

    package init(database: any Database, surroundings: Surroundings, mail: AdministratorMail) {
        self.database = database
        self.surroundings = surroundings
        self.mail = mail
    }

    /// Queues the mails that are due. Those about one consent are queued in one transaction, which also notes that they
    /// are: whatever happens between two transactions, nobody is asked twice. Where mail is off, or nobody has an
    /// address, nothing is noted, so that the question is asked as soon as it can be.
    /// - Returns: about how many consents.
    @discardableResult
    package func send() async throws -> Int {
        guard mail.isAvailable else { return 0 }
        let now = surroundings.now()
        let due = try await database.read { try Consent.list(endingSoonAt: now, in: $0).map(\.id) }
        var count = 0
        for id in due {
            let isSent = try await database.write { transaction in
                try Consent.find(id, in: transaction).map { try send(about: $0, at: now, in: transaction) } ?? false
            }
            count += isSent ? 1 : 0
        }
        return count
    }

    private func send(about consent: Consent, at now: Date, in transaction: WriteTransaction) throws -> Bool {
        guard let reminder = consent.dueReminder(at: now), let lastDay = consent.lastDay,
            let app = try App.find(consent.appID, in: transaction),
            let team = try Team.find(app.teamID, in: transaction),
            let organization = try Organization.find(consent.organizationID, in: transaction)
        else { return false }
        let view = try RosterView(of: organization, for: app.id, at: now, in: transaction)
        let letter = AdministratorLetter.consentEnds(
            .init(
                organization: organization.name, app: app.name, team: team.name, lastDay: lastDay,
                readsUsers: consent.scopes.readsUsers, readsClasses: consent.scopes.readsClasses,
                people: try view.people(in: transaction), classes: try view.classes(in: transaction)))
        let people = try mail.tell(
            letter, to: try Privilege.shareData.holders(in: organization.id, at: now, transaction), in: transaction)
        guard !people.isEmpty, try consent.note(reminder: reminder, in: transaction) else { return false }
        try AuditEntry(
            .consentReminded, by: .system, on: "app:\(app.id.rawValue)", outcome: .done,
            detail: "last day \(lastDay.text); mail to ids \(IDRuns(people.map(\.rawValue)).text)", from: .system,
            mentioning: people.map(AuditMention.person)
        ).append(to: organization.id, at: now, in: transaction)
        return true
    }
}
