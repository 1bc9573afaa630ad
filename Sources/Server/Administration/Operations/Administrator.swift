import Directory
import Foundation
import Ground
import Storage

/// Carries out operations for a caller. Each is one transaction, which asks who the caller is now, finds the subject,
/// checks that the caller may do this there, and that the subject is still in the version that they have seen.
package struct Administrator: Sendable {
    package enum Caller: Sendable {
        /// A person with a shell on the server.
        case `operator`
        case person(PersonID)
        /// A program or a terminal that has sent this access token.
        case token(SecretHash)
        /// A program or a terminal whose token was checked when it asked for this, such as for a job.
        case holder(TokenHolder)
        /// The server itself, which does what somebody has set up for this organization.
        case schedule(OrganizationID)
    }

    package let database: any Database
    let services: AdministrationServices
    package var surroundings: Surroundings { services.surroundings }
    let caller: Caller
    let origin: Origin
    private let progress: @Sendable (_ done: Int, _ of: Int) async -> Void

    /// - Parameter progress: is told how far slow work has come: how many of how many.
    package init(
        _ caller: Caller, from origin: Origin, database: any Database, services: AdministrationServices,
        progress: @escaping @Sendable (_ done: Int, _ of: Int) async -> Void = { _, _ in }
    ) {
        self.progress = progress
        self.caller = caller
        self.origin = origin
        self.database = database
        self.services = services
    }

    /// Answers an inquiry. Before anybody but the operator gets the answer, the audit trail records that they asked.
    /// - Throws: ``OperationError``
    package func ask<I: Inquiry>(
        _ inquiry: I, in organization: OrganizationReference = .only
    ) async throws -> I.Answer {
        let (answer, admitted) = try await noting(I.self) {
            try await inquiry.answer(in: database) { try admit(inquiry, in: organization, $0) }
        }
        let (context, subject) = (admitted.context, admitted.subject)
        if !context.authority.isOperator || I.exportAction != nil {
            let people = I.people(in: answer).map { IDRuns($0.lazy.map(\.rawValue)) }
            try await database.write { transaction in
                try AuditEntry(
                    I.exportAction ?? .administrationRead, by: context.authority.actor, on: subject.auditName,
                    outcome: .done,
                    detail: I.name + (people.map { "; ids \($0.text)" } ?? (I.isAboutEverybody ? "; everybody" : "")),
                    from: origin,
                    mentioning: people?.mentions(of: .people) ?? (I.isAboutEverybody ? [.everybody] : [])
                ).append(to: subject.subjectOrganization, at: context.now, in: transaction)
            }
        }
        return answer
    }

    /// Carries out a change.
    /// - Parameters:
    ///   - version: the version of the subject that the caller has seen; nil to skip the check. What has no versions takes
    ///     none.
    ///   - key: the key of the request. If a request is repeated with the same key, it gets the first answer and is not
    ///     carried out again.
    /// - Throws: ``OperationError``, ``DirectoryError``; then nothing is changed.
    package func perform<C: Change>(
        _ change: C, in organization: OrganizationReference = .only, ifVersion version: String? = nil,
        once key: RequestKey? = nil
    ) async throws -> Done<C.Answer> {
        guard let key else {
            return try await perform(
                change, in: organization, ifVersion: version, Surrounding(progress: progress))
        }
        let request = try key.request(change, in: organization, ifVersion: version)
        let earlier = try await database.read { transaction in
            let authority = try authority(in: transaction)
            return try authority.has(C.privilege) ? request.reply(to: authority.actor, services, in: transaction) : nil
        }
        if let earlier { return try JSONDecoder.administration.decode(Done<C.Answer>.self, from: earlier) }
        return try await perform(
            change, in: organization, ifVersion: version,
            Surrounding<C.Answer>(after: { done, act in
                try request.keep(try JSONEncoder.administration.encode(done), in: act)
            }))
    }

    /// Further work in the transaction of a change.
    struct Surrounding<Answer: Codable & Sendable>: Sendable {
        var before: @Sendable (Act) throws -> Void = { _ in }
        var after: @Sendable (Done<Answer>, Act) throws -> Void = { _, _ in }
        var progress: @Sendable (_ done: Int, _ of: Int) async -> Void = { _, _ in }
    }

    /// The same as ``perform(_:in:ifVersion:once:)``, with further work in the transaction.
    func perform<C: Change>(
        _ change: C, in organization: OrganizationReference, ifVersion version: String?,
        _ surrounding: Surrounding<C.Answer>
    ) async throws -> Done<C.Answer> {
        let preparation = try await prepare(change, in: organization, ifVersion: version, surrounding.progress)
        let settlement = Settlement<C> { transaction, body in
            let act = Act(try context(of: C.self, in: organization, transaction), transaction)
            try surrounding.before(act)
            let (subject, answer) = try carryOut(change, ifVersion: version, in: act, body)
            let done = Done(
                answer: answer,
                change: try act.undo.map { try ChangeRecord.insert(C.self, about: subject, undo: $0, in: act) },
                effects: act.effects)
            try surrounding.after(done, act)
            return Settled(
                done: done, subject: subject,
                followUp: FollowUp(
                    database: database, surroundings: act.surroundings, actor: act.actor, origin: act.origin))
        }
        let settled = try await noting(C.self) {
            try await change.settle(preparation, in: database, settlement)
        }
        try await change.followUp(on: settled.subject, settled.followUp)
        return settled.done
    }

    private func prepare<C: Change>(
        _ change: C, in organization: OrganizationReference, ifVersion version: String?,
        _ progress: @escaping @Sendable (_ done: Int, _ of: Int) async -> Void
    ) async throws -> C.Preparation {
        let admitted = try await noting(C.self) {
            try await database.read { transaction in
                let admitted = try admit(change, in: organization, transaction)
                // Asked again in the transaction of the change. Here it saves slow work that would be for nothing.
                try C.check(version, of: admitted.subject, in: transaction)
                return admitted
            }
        }
        var context = admitted.context
        context.progress = progress
        return try await change.prepare(for: admitted.subject, in: context)
    }

    /// Finds out what a change would do: carries it out and rolls back the transaction, but for a ``ForeseenChange`` and a
    /// ``PlannedChange``.
    /// - Throws: the errors of ``perform(_:in:ifVersion:)``
    package func preview<C: Change>(
        _ change: C, in organization: OrganizationReference = .only, ifVersion version: String? = nil
    ) async throws -> Preview {
        if let planned = change as? any PlannedChange {
            return try await plan(planned, in: organization, ifVersion: version)
        }
        if let foreseen = change as? any ForeseenChange {
            return try await foresee(foreseen, in: organization, ifVersion: version)
        }
        let prepared =
            try await C.isPreparedForPreviews
            ? prepare(change, in: organization, ifVersion: version, progress) : nil
        do {
            return try await noting(C.self) {
                try await database.write { transaction -> Preview in
                    try C.lock(in: transaction)
                    let act = Act(try context(of: C.self, in: organization, transaction), transaction)
                    let subject = try act.context.admitted(change, transaction)
                    let current = try subject.version(in: transaction)
                    _ = try carryOut(change, ifVersion: version ?? current, in: act) { subject, act in
                        try change.carryOut(
                            on: subject, prepared ?? change.blankPreparation(for: subject, in: act.context), in: act)
                    }
                    throw RolledBack(
                        outlook: Outlook(
                            effects: act.effects, version: current, subject: subject, context: act.context))
                }
            }
        } catch let end as RolledBack {
            return try await preview(of: end.outlook, C.name)
        }
    }

    private func foresee<C: ForeseenChange>(
        _ change: C, in organization: OrganizationReference, ifVersion version: String?
    ) async throws -> Preview {
        let outlook = try await noting(C.self) {
            try await database.read { transaction in
                let admitted = try admit(change, in: organization, transaction)
                let current = try admitted.subject.version(in: transaction)
                try C.check(version ?? current, of: admitted.subject, in: transaction)
                return Outlook(
                    effects: try change.foresee(on: admitted.subject, in: admitted.context, transaction),
                    version: current, subject: admitted.subject, context: admitted.context)
            }
        }
        return try await preview(of: outlook, C.name)
    }

    private func plan<C: PlannedChange>(
        _ change: C, in organization: OrganizationReference, ifVersion version: String?
    ) async throws -> Preview {
        let admitted = try await noting(C.self) {
            try await database.read { transaction in
                let admitted = try admit(change, in: organization, transaction)
                // A preview is what tells the version, so that it needs none.
                try version.map { try C.check($0, of: admitted.subject, in: transaction) }
                return admitted
            }
        }
        let subject = admitted.subject
        var context = admitted.context
        context.progress = progress
        let preview = try await change.plan(for: subject, in: context, database)
        // A plan names people, be it only those whose ids may have passed to others.
        if !context.authority.isOperator {
            try await database.write { [context, subject] transaction in
                try AuditEntry(
                    .administrationRead, by: context.authority.actor, on: subject.auditName, outcome: .done,
                    detail: "\(C.name); preview; everybody", from: origin, mentioning: [.everybody]
                ).append(to: subject.subjectOrganization, at: context.now, in: transaction)
            }
        }
        return preview
    }

    /// What a change would do, to whom and for whom.
    private struct Outlook: Sendable {
        let effects: [Effect]
        let version: String?
        let subject: any OperationSubject
        let context: OperationContext
    }

    /// Thrown to roll back the transaction of a preview.
    private struct RolledBack: Error {
        let outlook: Outlook
    }

    /// The preview, once it is recorded whose names it shows.
    private func preview(of outlook: Outlook, _ operation: String) async throws -> Preview {
        let people = IDRuns(
            outlook.effects.compactMap { $0.subject.hasPrefix("person:") ? Int64($0.subject.dropFirst(7)) : nil })
        if !outlook.context.authority.isOperator, !people.runs.isEmpty {
            try await database.write { transaction in
                try AuditEntry(
                    .administrationRead, by: outlook.context.authority.actor, on: outlook.subject.auditName,
                    outcome: .done, detail: "\(operation); preview; ids \(people.text)", from: origin,
                    mentioning: people.mentions(of: .people)
                ).append(to: outlook.subject.subjectOrganization, at: outlook.context.now, in: transaction)
            }
        }
        return Preview(outlook.effects, version: outlook.version)
    }
}

extension Administrator {
    /// Runs `body`. If it is refused because the caller lacks the privilege, be it for one of many items, the audit
    /// trail records that.
    func noting<O: Operation, Value: Sendable>(
        _: O.Type, _ body: () async throws -> Value
    ) async throws -> Value {
        do {
            return try await body()
        } catch let refusal as OperationError {
            let detail: String
            switch refusal {
            case .forbidden(let privilege): detail = "\(O.name) needs \(privilege.rawValue)"
            case .items(let failures):
                guard let found = OperationFailure.refusalDetail(failures, of: O.name) else { throw refusal }
                detail = found
            default: throw refusal
            }
            try await database.write { transaction in
                try authority(in: transaction).noteRefusal(
                    detail, from: origin, at: services.surroundings.now(), in: transaction)
            }
            throw refusal
        }
    }

    /// Looks whether the caller may do this at any place, before a large input of theirs is read.
    /// - Throws: ``OperationError``
    package func admit<O: Operation>(_ operation: O.Type) async throws {
        try await noting(operation) {
            try await database.read { transaction in
                guard try authority(in: transaction).has(O.privilege) else {
                    throw OperationError.forbidden(O.privilege)
                }
            }
        }
    }

    private func carryOut<C: Change>(
        _ change: C, ifVersion version: String?, in act: Act,
        _ body: (_ subject: C.Subject, _ act: Act) throws -> C.Answer
    ) throws -> (C.Subject, C.Answer) {
        let subject = try act.context.admitted(change, act.transaction)
        try C.check(version, of: subject, in: act.transaction)
        let answer = try body(subject, act)
        precondition(!act.effects.isEmpty || C.mayChangeNothing, "\(C.name) has changed something without recording it")
        return (subject, answer)
    }

    private func admit<O: Operation>(
        _ operation: O, in organization: OrganizationReference, _ transaction: some Transaction
    ) throws -> Admitted<O> {
        let context = try context(of: O.self, in: organization, transaction)
        return Admitted(context: context, subject: try context.admitted(operation, transaction))
    }

    func context<O: Operation>(
        of operation: O.Type, in reference: OrganizationReference, _ transaction: some Transaction
    ) throws -> OperationContext {
        let authority = try authority(in: transaction)
        // Checked before anything is looked up: a caller without the privilege must not learn which people exist.
        guard authority.has(O.privilege) else { throw OperationError.forbidden(O.privilege) }
        let organization = try reference.find(for: authority, in: transaction)
        return OperationContext(
            authority: authority, organization: organization, now: services.surroundings.now(), origin: origin,
            services: services)
    }

    func authority(in transaction: some Transaction) throws -> Authority {
        switch caller {
        case .operator: return .operator
        case .person(let id): return try Authority.of(id, at: services.surroundings.now(), in: transaction)
        case .token(let hash):
            guard let holder = try TokenHolder.find(hash, at: services.surroundings.now(), in: transaction)
            else { throw OperationError.signedOut }
            return try holder.authority(at: services.surroundings.now(), in: transaction)
        case .holder(let holder): return try holder.authority(at: services.surroundings.now(), in: transaction)
        case .schedule(let organization): return .schedule(of: organization)
        }
    }
}
