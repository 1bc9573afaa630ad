import Accounts
import Administration
import Authorization
import Directory
import Foundation
import Ground
import Logging
import Mail
import Outbox
import ServiceLifecycle
import Storage

/// What is done now and then, until the server stops: expired records are deleted, changes of access rules that were
/// interrupted are finished, consents whose last day is over end, those who decide are asked to renew others, apps are
/// told who has left, what an organization's rules want gone is erased, uses of sessions are written down, people,
/// classes and locations are brought into the indexes of the search, and what happens each day is counted. No rule depends on when that happens,
/// because every reader checks for itself.
struct Tidying: Service {
    let database: any Database
    let surroundings: Surroundings
    let services: AdministrationServices
    let administratorMail: AdministratorMail
    let refreshTokens: RefreshTokenLifetime
    let sessions: SessionUses
    let interval: Duration
    let logger: Logger

    func run() async throws {
        await RepeatedWork.run(every: interval, failure: "nothing was cleared away", logger, tidy)
    }

    /// Reads first, because most of the time there is nothing to delete.
    @Sendable private func tidy() async throws {
        try await sessions.flush(into: database)
        try await AccessRuleSweep(database: database, surroundings: surroundings).finish()
        try await EndedSignIns(database: database, surroundings: surroundings)
            .tellOfDepartures(by: .system, from: .system)
        try await RetentionSweep(database: database, services: services).run()
        try await ConsentEnds(database: database, surroundings: surroundings).finish()
        try await ConsentReminders(database: database, surroundings: surroundings, mail: administratorMail).send()
        try await SearchIndexes.bringUpToDate(in: database)
        try await ActivityCounter(database: database).run()
        try await CountedRecords.countLarge(in: database)
        try await SharingCounts.countLarge(in: database, at: surroundings.now())
        try await CountedSignIns.countLarge(in: database, at: surroundings.now())
        try await NumberKeeper.countLarge(in: database, at: surroundings.now())
        let now = surroundings.now()
        let (
            pauses, browsers, requests, grants, notifications, mails, sessions, tokens, jobs, names, erased, imports,
            files, deliveries
        ) =
            try await database.read { transaction in
                (
                    try Credential.hasEndedPauses(at: now, in: transaction),
                    try KnownBrowser.hasExpired(at: now, in: transaction),
                    try PersonalAccounts.hasOldRequests(at: now, in: transaction),
                    try Grant.hasOld(refreshTokens, at: now, in: transaction),
                    try NotificationOutbox.outbox.hasOld(at: now, in: transaction),
                    try MailOutbox.outbox.hasOld(at: now, in: transaction),
                    try ClientSession.hasOld(at: now, in: transaction),
                    try TokenHolder.hasExpired(at: now, in: transaction),
                    try Job.hasOld(at: now, in: transaction),
                    try FormerUserName.hasExpired(at: now, in: transaction),
                    try ErasedName.hasExpired(at: now, in: transaction),
                    try ImportMemory.hasOld(at: now, in: transaction),
                    try ImportFiles.hasOld(at: now, in: transaction),
                    try LoggedNotification.hasOld(at: now, in: transaction)
                )
            }
        let isDue = [
            pauses, browsers, requests, grants, notifications, mails, sessions, tokens, jobs, names, erased, imports,
            files, deliveries,
        ]
        guard isDue.contains(true) else { return }
        try await database.write { transaction in
            if pauses { try Credential.endPauses(at: now, in: transaction) }
            if browsers { try KnownBrowser.deleteExpired(at: now, in: transaction) }
            if requests { try PersonalAccounts.deleteOldRequests(at: now, in: transaction) }
            if grants { try Grant.deleteOld(refreshTokens, at: now, in: transaction) }
            if notifications { try NotificationOutbox.outbox.deleteOld(at: now, in: transaction) }
            if mails { try MailOutbox.outbox.deleteOld(at: now, in: transaction) }
            if sessions { try ClientSession.deleteOld(at: now, in: transaction) }
            if tokens { try TokenHolder.deleteExpired(at: now, in: transaction) }
            if jobs { try Job.deleteOld(at: now, in: transaction) }
            if names { try FormerUserName.deleteExpired(at: now, in: transaction) }
            if erased { try ErasedName.deleteExpired(at: now, in: transaction) }
            if imports { try ImportMemory.forgetOld(at: now, in: transaction) }
            if files { try ImportFiles.deleteOld(at: now, in: transaction) }
            if deliveries { try LoggedNotification.deleteOld(at: now, in: transaction) }
        }
    }
}
