import Directory
import Foundation
import Ground
import RosterFiles
import Storage

/// Imports what information systems have put into the folders of pick-ups, by SFTP or otherwise: reads each folder at
/// its hour, carries out the import in the name of the server, and writes to those who may import what came of it.
package struct PickUpSweep: Sendable {
    private let database: any Database
    private let services: AdministrationServices

    /// How long a file must not have changed to count as complete, in seconds.
    private static let quiet: TimeInterval = 60
    /// How long files are waited for that are not complete, in seconds. What is still called `.part` then was left
    /// behind.
    static let patience: TimeInterval = 3 * 3_600

    /// Reading blocks, and takes as long as the files are.
    private static let queue = BlockingQueue(width: 1)

    package init(database: any Database, services: AdministrationServices) {
        self.database = database
        self.services = services
    }

    package func run() async throws {
        guard services.pickUpFolder != nil else { return }
        while !Task.isCancelled {
            let now = services.surroundings.now()
            guard try await database.read({ try RosterPickUp.isDue(at: now, in: $0) }),
                let pickUp = try await database.write({ try RosterPickUp.take(at: now, in: $0) })
            else { return }
            try await read(pickUp, at: now)
        }
    }

    private func read(_ pickUp: RosterPickUp, at now: Date) async throws {
        guard let organization = try await database.read({ try Organization.find(pickUp.organization, in: $0) }),
            let path = services.folder(of: pickUp)
        else { return }
        do {
            let (outcome, report) = try await outcome(of: pickUp, in: organization, at: path, now)
            guard let outcome else {
                try await database.write { try pickUp.postpone(until: now.addingTimeInterval(Self.quiet), in: $0) }
                return
            }
            try await note(outcome, report, of: pickUp, in: organization)
        } catch let error as CancellationError {
            throw error
        } catch {
            // Otherwise what is told would be what came of the last good night, for as long as this goes on.
            let report = PickUpReport(report: nil, problem: "Something failed. The server’s log says what.")
            try await note(.unreadable, report, of: pickUp, in: organization)
            throw error
        }
    }

    private func note(
        _ outcome: RosterPickUp.Outcome, _ report: PickUpReport, of pickUp: RosterPickUp,
        in organization: Organization
    ) async throws {
        let now = services.surroundings.now()
        try await database.write { [services] transaction in
            let sealed = try services.sealed(
                try JSONEncoder.administration.encode(report), for: AdministrationServices.purpose(of: pickUp))
            try pickUp.note(
                outcome, errors: report.report?.errorCount ?? 0, report: sealed, at: now,
                in: transaction)
            try services.administratorMail?.tell(of: outcome, report.report, of: organization, at: now, in: transaction)
        }
    }

    /// - Returns: no outcome if somebody still writes into the folder, and not for ``patience`` yet
    private func outcome(
        of pickUp: RosterPickUp, in organization: Organization, at path: String, _ now: Date
    ) async throws -> (RosterPickUp.Outcome?, PickUpReport) {
        func problem(_ outcome: RosterPickUp.Outcome, _ reason: String?) -> (RosterPickUp.Outcome?, PickUpReport) {
            (outcome, PickUpReport(report: nil, problem: reason))
        }
        let drop = RosterDrop(at: path, of: organization.kind, bytesMax: ImportRoster.archiveBytesMax)
        let archive: Data
        do {
            let quietSince = now.addingTimeInterval(-Self.quiet)
            switch try await Self.queue.run({ try drop.read(quietSince: quietSince) }) {
            case .archive(let data): archive = data
            case .nothing: return problem(.missing, nil)
            case .unfinished(let reason):
                let isOver = now >= pickUp.dueAt.addingTimeInterval(Self.patience)
                return isOver ? problem(.unfinished, reason) : (nil, PickUpReport(report: nil, problem: nil))
            }
        } catch let refusal as RosterDrop.Refusal {
            return problem(.unreadable, refusal.reason)
        }
        let administrator = Administrator(
            .schedule(organization.id), from: .system, database: database, services: services)
        do {
            let report = try await administrator.perform(
                ImportRoster(.archive(archive), schools: pickUp.location.map { [LocationReference($0)] }),
                in: .named(organization.publicID)
            ).answer
            return (RosterPickUp.Outcome(report.outcome), PickUpReport(report: report, problem: nil))
        } catch {
            guard let failure = OperationFailure(error) else { throw error }
            return problem(.unreadable, failure.detail)
        }
    }
}

extension RosterPickUp.Outcome {
    fileprivate init(_ outcome: ImportReport.Outcome) {
        self =
            switch outcome {
            case .applied: .applied
            case .held: .held
            case .defective: .defective
            case .nothingToDo, .planned: .nothingToDo
            }
    }
}

extension AdministratorMail {
    /// Tells those who may import what came of a folder. An import that is held has a letter of its own, and a night on
    /// which nothing has changed has none.
    fileprivate func tell(
        of outcome: RosterPickUp.Outcome, _ report: ImportReport?, of organization: Organization,
        at now: Date, in transaction: WriteTransaction
    ) throws {
        guard ![.held, .nothingToDo].contains(outcome) else { return }
        func people(_ count: KeyPath<RecordCounts, Int>) -> Int {
            report.map { $0.counts.students[keyPath: count] + $0.counts.staff[keyPath: count] } ?? 0
        }
        let letter = AdministratorLetter.pickedUp(
            .init(
                organization: organization.name, outcome: outcome, errors: report?.errorCount ?? 0,
                coming: people(\.added) + people(\.reactivated), changing: people(\.changed),
                leaving: people(\.deactivated)))
        _ = try tell(
            letter, to: try Privilege.importRoster.holders(in: organization.id, at: now, transaction),
            in: transaction)
    }
}
