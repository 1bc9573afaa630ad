import Directory
import Foundation
import Ground
import Storage

extension Administrator {
    /// Stores a change that is to be carried out in the background. Whether the caller may do this, and has seen the present
    /// version, is asked now too, so that what could never be done is refused at once.
    /// - Parameters: those of ``perform(_:in:ifVersion:once:)``
    /// - Returns: the id with which the caller finds the job.
    /// - Throws: ``OperationError``
    package func begin<C: Change>(
        _ change: C, in organization: OrganizationReference = .only, ifVersion version: String? = nil,
        once key: RequestKey? = nil
    ) async throws -> String {
        let request = try key?.request(change, in: organization, ifVersion: version)
        let input = try JSONEncoder.administration.encode(change)
        return try await noting(C.self) {
            try await database.write { transaction in
                let context = try context(of: C.self, in: organization, transaction)
                if let earlier = try request?.reply(to: context.authority.actor, services, in: transaction) {
                    return String(decoding: earlier, as: UTF8.self)
                }
                try C.check(version, of: try context.admitted(change, transaction), in: transaction)
                guard let holder = try holder(at: context.now, transaction), let home = context.organization
                else { throw OperationError.signedOut }
                try Job.checkRoom(in: home, transaction)
                let job = try Job.insert(
                    C.self, input: input, in: home.id, for: holder, from: origin, ifVersion: version, context,
                    in: transaction)
                try request?.keep(Data(job.utf8), in: Act(context, transaction))
                return job
            }
        }
    }

    /// In whose name the job is carried out. What ends a person's sessions ends it too.
    private func holder(at now: Date, _ transaction: some Transaction) throws -> TokenHolder? {
        switch caller {
        case .operator, .schedule:
            throw OperationError.refused("What the operator does in a shell is not done in the background.")
        case .person(let id):
            guard let version = try SignInVersion.current(of: id, in: transaction) else { return nil }
            return TokenHolder(.person(id, version), Set(Privilege.allCases))
        case .token(let token): return try TokenHolder.find(token, at: now, in: transaction)
        case .holder(let holder): return holder
        }
    }

    /// The jobs of one operation that this caller has begun, without the answers, the newest first: those that go on,
    /// and those that have ended and whose answer or failure is not older than answers are kept.
    package func jobs<C: Change>(
        of _: C.Type, in organization: OrganizationReference = .only
    ) async throws -> [JobRecord] {
        let now = services.surroundings.now()
        return try await database.read { transaction in
            let authority = try authority(in: transaction)
            guard let home = try organization.find(for: authority, in: transaction) else { return [] }
            return try JobRecord.list(C.name, in: home.id, of: authority.actor, at: now, transaction)
        }
    }

    /// Deletes the answer of a job that this caller began, such as when the passwords in it are printed.
    /// - Throws: ``OperationError/notFound(_:_:in:)``
    package func forgetAnswer(of job: String, in organization: OrganizationReference = .only) async throws {
        try await database.write { transaction in
            let authority = try authority(in: transaction)
            _ = try organization.find(for: authority, in: transaction)
            _ = try JobRecord.find(job, of: authority.actor, services, in: transaction)
            try Job.forgetAnswer(of: job, in: transaction)
        }
    }

    /// The state of a job that this caller began, and what the change has answered, as long as that is kept.
    /// - Throws: ``OperationError/notFound(_:_:in:)``
    package func job<C: Change>(
        _ id: String, of _: C.Type, in organization: OrganizationReference = .only
    ) async throws -> (record: JobRecord, answer: C.Answer?) {
        let record = try await job(id, in: organization)
        guard record.operation == C.name else { throw OperationError.notFound(.job, id, in: nil) }
        let done = try record.answer.map {
            try JSONDecoder.administration.decode(
                Done<C.Answer>.self, from: try JSONEncoder.administration.encode($0))
        }
        return (record, done?.answer)
    }

    /// The state of a job that this caller began, as long as they have the privilege that it needs: the answer can have
    /// passwords in it.
    /// - Throws: ``OperationError/notFound(_:_:in:)``, ``OperationError/forbidden(_:)``
    package func job(_ id: String, in organization: OrganizationReference = .only) async throws -> JobRecord {
        try await database.read { transaction in
            let authority = try authority(in: transaction)
            _ = try organization.find(for: authority, in: transaction)
            let record = try JobRecord.find(id, of: authority.actor, services, in: transaction)
            if let type = OperationCatalog.change(named: record.operation), !authority.has(type.privilege) {
                throw OperationError.forbidden(type.privilege)
            }
            return record
        }
    }
}

/// Carries out the stored jobs, one at a time on each server.
package struct JobWorker: Sendable {
    private let database: any Database
    private let services: AdministrationServices

    package init(database: any Database, services: AdministrationServices) {
        self.database = database
        self.services = services
    }

    /// Carries out all waiting jobs.
    /// - Throws: errors of the database. The job is then taken up again by the next worker.
    package func work() async throws {
        while !Task.isCancelled, try await isWaiting() {
            let now = services.surroundings.now()
            guard let job = try await database.write({ try Job.take(at: now, in: $0) }) else { return }
            try await carryOut(job)
        }
    }

    private func isWaiting() async throws -> Bool {
        let now = services.surroundings.now()
        return try await database.read { try Job.isWaiting(at: now, in: $0) }
    }

    private func carryOut(_ job: Job) async throws {
        do {
            guard job.attempts <= Job.attemptsMax else {
                throw OperationFailure(.unavailable, "It was begun \(Job.attemptsMax) times and ended by no answer.")
            }
            guard let type = OperationCatalog.change(named: job.operation) else {
                throw OperationError.refused("This version of the server has no operation \(job.operation).")
            }
            try await carryOut(job, as: type)
        } catch {
            guard let failure = OperationFailure(error) else { throw error }
            let now = services.surroundings.now()
            try await database.write { try job.end(with: failure, at: now, in: $0) }
        }
    }

    private func carryOut<C: Change>(_ job: Job, as type: C.Type) async throws {
        let (database, surroundings) = (database, services.surroundings)
        let change = try JSONDecoder.administration.decode(type, from: services.opened(job.input, for: job.purpose))
        guard
            let organization = try await database.read({ try Organization.find(job.organization, in: $0) })?.publicID
        else { throw OperationError.signedOut }
        let administrator = Administrator(
            .holder(job.holder), from: job.origin, database: database, services: services)
        // Renews the lease while the work goes on, also during steps that report no progress.
        let pulse = Task {
            while !Task.isCancelled {
                try await Task.sleep(for: .seconds(Job.lease / 3))
                try? await database.write { try job.renew(at: surroundings.now(), in: $0) }
            }
        }
        defer { pulse.cancel() }
        let pace = Pace()
        _ = try await administrator.perform(
            change, in: .named(organization), ifVersion: job.version,
            Administrator.Surrounding(
                // Locks the job's row from the beginning, so that renewing the lease and noting progress wait for the
                // end. If they changed the row first, PostgreSQL would make the work start over.
                before: { act in try job.renew(at: act.now, in: act.transaction) },
                after: { done, act in
                    let reply = try services.sealed(try JSONEncoder.administration.encode(done), for: job.purpose)
                    guard try job.end(with: reply, at: act.now, in: act.transaction) else {
                        throw OperationError.refused("Another server has ended this job.")
                    }
                },
                progress: { done, total in
                    guard pace.isDue(at: surroundings.now()) || done == total else { return }
                    try? await database.write {
                        try job.note(done: done, of: total, at: surroundings.now(), in: $0)
                    }
                }))
    }
}
