import Authorization
import Directory
import Ground
import Storage

/// Shows a rule about apps: its mode and the list.
package struct ShowAccess<Rule: AppRule>: Inquiry {
    package typealias Subject = OrganizationRule
    package typealias Answer = AccessRecord

    package static var name: String { Rule.name("show") }
    package static var summary: String { "Shows \(Rule.words): the mode and the list." }
    package static var privilege: Privilege { Rule.privilege }
    package static var route: OperationRoute { Rule.route(.get) }
    package static var explanations: [String: String] { [:] }

    package init() {}

    package func subject(in context: OperationContext, _ transaction: some Transaction) throws -> OrganizationRule {
        try OrganizationRule(Rule.purpose, of: try context.requiredOrganization(transaction), transaction)
    }

    package func answer(
        about subject: OrganizationRule, in context: OperationContext, _ transaction: some Transaction
    ) throws -> AccessRecord { try AccessRecord(subject, at: context.now, in: transaction) }
}

/// Puts an app on the list of a rule.
package struct AllowApp<Rule: AppRule>: Change {
    package typealias Subject = OrganizationRule
    package typealias Answer = AccessRecord

    package static var name: String { Rule.name("allow") }
    package static var summary: String { "Puts an app on the list of those that are allowed (\(Rule.words))." }
    package static var privilege: Privilege { Rule.privilege }
    package static var route: OperationRoute { Rule.route(.post, "/apps") }
    package static var explanations: [String: String] { ["app": AppReference.explanation] }
    package static var undo: UndoRule { .possible }
    package static var mayChangeNothing: Bool { true }

    package let app: AppReference

    package init(app: AppReference) { self.app = app }

    package func subject(in context: OperationContext, _ transaction: some Transaction) throws -> OrganizationRule {
        try OrganizationRule(Rule.self, toChangeIn: context, transaction)
    }

    package func carryOut(on subject: OrganizationRule, _: Void, in act: Act) throws -> AccessRecord {
        let found = try app.find(in: subject.organization, act.transaction)
        guard found.removedAt == nil else {
            throw OperationError.refused("\(found.name) was removed from this server.")
        }
        guard !subject.rule.listed.contains(found.id) else {
            return try AccessRecord(subject, at: act.now, in: act.transaction)
        }
        try act.apply(.list(found.id), to: subject, called: found.name)
        act.undo(by: DisallowApp<Rule>(app: AppReference(found.id)))
        return try AccessRecord(subject, at: act.now, in: act.transaction)
    }
}

/// Takes an app off the list of a rule.
package struct DisallowApp<Rule: AppRule>: Change {
    package typealias Subject = OrganizationRule
    package typealias Answer = AccessRecord

    package static var name: String { Rule.name("remove") }
    package static var summary: String {
        "Takes an app off the list of those that are allowed (\(Rule.words)). What ends by that does not come back "
            + "when it is taken back."
    }
    package static var privilege: Privilege { Rule.privilege }
    package static var route: OperationRoute { Rule.route(.delete, "/apps/{app}") }
    package static var explanations: [String: String] { ["app": AppReference.explanation] }
    package static var undo: UndoRule { .possible }

    package let app: AppReference

    package init(app: AppReference) { self.app = app }

    package func subject(in context: OperationContext, _ transaction: some Transaction) throws -> OrganizationRule {
        try OrganizationRule(Rule.self, toChangeIn: context, transaction)
    }

    package func carryOut(on subject: OrganizationRule, _: Void, in act: Act) throws -> AccessRecord {
        let found = try app.find(in: subject.organization, act.transaction)
        guard subject.rule.listed.contains(found.id) else {
            throw OperationError.refused("\(found.name) is not on the list of \(subject.organization.name).")
        }
        try act.apply(.unlist(found.id), to: subject, called: found.name)
        act.undo(by: AllowApp<Rule>(app: AppReference(found.id)))
        return try AccessRecord(subject, at: act.now, in: act.transaction)
    }

    package func followUp(on subject: OrganizationRule, _ followUp: FollowUp) async throws {
        try await followUp.signOut(subject)
    }
}

/// Decides whether all apps are allowed by a rule, or only those on its list.
package struct SetAccessMode<Rule: AppRule>: Change {
    package typealias Subject = OrganizationRule
    package typealias Answer = AccessRecord

    package static var name: String { Rule.name("mode") }
    package static var summary: String {
        "Allows all apps, or only those on the list (\(Rule.words)). What ends by that does not come back when it is "
            + "taken back."
    }
    package static var privilege: Privilege { Rule.privilege }
    package static var route: OperationRoute { Rule.route(.post, "/mode") }
    package static var explanations: [String: String] { ["mode": "All apps, or those on the list."] }
    package static var undo: UndoRule { .possible }
    package static var mayChangeNothing: Bool { true }
    package static var hasBulkForm: Bool { false }

    package let mode: AccessRule.Mode

    package init(mode: AccessRule.Mode) { self.mode = mode }

    package func subject(in context: OperationContext, _ transaction: some Transaction) throws -> OrganizationRule {
        try OrganizationRule(Rule.self, toChangeIn: context, transaction)
    }

    package func carryOut(on subject: OrganizationRule, _: Void, in act: Act) throws -> AccessRecord {
        let rule = subject.rule
        // A first decision is written down even if it is what holds by default: then somebody has decided it.
        guard rule.mode != mode || rule.version == 0 else {
            return try AccessRecord(subject, at: act.now, in: act.transaction)
        }
        try act.apply(.mode(mode), to: subject, called: subject.organization.name)
        act.undo(by: SetAccessMode(mode: rule.mode))
        return try AccessRecord(subject, at: act.now, in: act.transaction)
    }

    package func followUp(on subject: OrganizationRule, _ followUp: FollowUp) async throws {
        try await followUp.signOut(subject)
    }
}

extension Act {
    /// Changes a rule, and records the change and each app that loses something by it.
    fileprivate func apply(_ change: AccessRule.Change, to subject: OrganizationRule, called name: String) throws {
        let organization = subject.organization
        let losses = try AccessLoss.find(
            of: change, to: organization, purpose: subject.purpose, at: now, in: transaction)
        try record(
            .accessRuleChanged, on: subject, called: name,
            try AccessRule.write(change, to: organization.id, purpose: subject.purpose, in: transaction))
        for loss in losses {
            let app = LosingApp(id: loss.app.id, organization: organization.id)
            if loss.signIns > 0 {
                try record(
                    .accessRuleChanged, on: app, called: loss.app.name,
                    "\(loss.signIns) \(loss.signIns == 1 ? "person is" : "people are") signed out of it",
                    losing: Effect.Loss(kind: .signIns, people: loss.signIns))
            }
            if loss.readsRoster {
                let people = try RosterView(of: organization, for: loss.app.id, at: now, in: transaction).people(
                    in: transaction)
                try record(
                    .accessRuleChanged, on: app, called: loss.app.name,
                    "reads nothing about the \(people) people any more",
                    losing: Effect.Loss(kind: .reading, people: people))
            }
        }
    }
}

/// An app that loses something by a change of an organization's rule, as the subject of an entry in the organization's
/// audit trail.
private struct LosingApp: OperationSubject {
    let id: AppID
    let organization: OrganizationID
    var subjectOrganization: OrganizationID? { organization }
    var auditName: String { "app:\(id.rawValue)" }

    func isOpen(to authority: Authority, for privilege: Privilege, in transaction: some Transaction) -> Bool {
        authority.has(privilege, in: organization)
    }
}

extension FollowUp {
    /// Signs people out of the apps to which their organization lets them sign in no more.
    fileprivate func signOut(_ subject: OrganizationRule) async throws {
        guard subject.purpose == .signIn else { return }
        try await AccessRuleSweep(database: database, surroundings: surroundings)
            .run(in: subject.organization.id, by: actor, from: origin)
    }
}
