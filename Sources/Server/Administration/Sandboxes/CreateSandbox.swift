import Authorization
import Directory
import Foundation
import Storage

/// Makes a sandbox for a team: a school with made-up people, and an administrator of it whose password the team gets.
package struct CreateSandbox: Change, TeamOperation {
    package typealias Answer = OpenedSandbox

    package static let name = "sandbox.create"
    package static let summary = """
        Makes a sandbox for a team: a school with made-up people in which only apps of the team count. The answer is the \
        only place where the password of its administrator is shown.
        """
    package static let privilege = Privilege.manageTeams
    package static let route = OperationRoute(.post, "teams/{team}/sandbox", below: .server)
    package static let explanations = ["team": TeamReference.explanation]
    package static let undo = UndoRule.impossible("`sandbox.remove` removes it.")

    package let team: TeamReference

    package init(team: TeamReference) { self.team = team }

    package func prepare(for team: Team, in context: OperationContext) async throws -> NewPassword {
        try await NewPassword(by: .standard, context.services)
    }

    package func blankPreparation(for team: Team, in context: OperationContext) -> NewPassword { .blank }

    package func carryOut(on team: Team, _ new: NewPassword, in act: Act) throws -> OpenedSandbox {
        guard act.context.services.developers.haveSandboxes || act.context.authority.isOperator else {
            throw OperationError.refused("The operator of this server lets teams have no sandboxes.")
        }
        let transaction = act.transaction
        guard try Sandbox.find(of: team.id, in: transaction) == nil else {
            throw OperationError.refused("\(team.name) has a sandbox already. Remove it before you make another.")
        }
        guard try Sandbox.count(of: team.id, in: transaction) < Sandbox.perTeamMax else {
            throw OperationError.refused(
                "\(team.name) has removed several sandboxes today, which are still being erased. Make another tomorrow."
            )
        }
        let organization: Organization
        do {
            organization = try Sandbox.make(for: team, at: act.now, from: act.surroundings, in: transaction)
        } catch DatabaseError.uniqueViolation {
            throw OperationError.refused("Somebody else of \(team.name) has made a sandbox just now.")
        }
        try act.record(.teamChanged, on: team, called: team.name, "sandbox made")
        try act.record(
            .organizationCreated, on: organization, called: organization.name, "sandbox of \(team.auditName)")
        return try act.open(try TeamSandbox(of: team, at: act.now, in: transaction), with: new)
    }
}

/// Gives the administrator of a sandbox a new password.
package struct IssueSandboxPassword: Change, TeamOperation {
    package typealias Answer = OpenedSandbox

    package static let name = "sandbox.password"
    package static let summary = """
        Gives the administrator of a team's sandbox a new password, for who has lost it. The answer is the only place \
        where it is shown.
        """
    package static let privilege = Privilege.manageTeams
    package static let route = OperationRoute(.post, "teams/{team}/sandbox/password", below: .server)
    package static let explanations = ["team": TeamReference.explanation]
    package static let undo = UndoRule.impossible("The former password is not kept in a form that could be put back.")

    package let team: TeamReference

    package init(team: TeamReference) { self.team = team }

    package func prepare(for team: Team, in context: OperationContext) async throws -> NewPassword {
        try await NewPassword(by: .standard, context.services)
    }

    package func blankPreparation(for team: Team, in context: OperationContext) -> NewPassword { .blank }

    package func carryOut(on team: Team, _ new: NewPassword, in act: Act) throws -> OpenedSandbox {
        try act.open(try TeamSandbox(of: team, at: act.now, in: act.transaction), with: new)
    }
}

extension Act {
    /// Gives the first of those who administrate the sandbox a password.
    fileprivate func open(_ sandbox: TeamSandbox, with new: NewPassword) throws -> OpenedSandbox {
        guard let person = try sandbox.administrators(at: now, in: transaction).first else {
            throw OperationError.refused(
                "\(sandbox.whole.organization.name) has no administrator any more. Remove it, and make another.",
                remedy: .init(RemoveSandbox.name, sandbox.team.publicID))
        }
        // A former member of the team may have set up a passkey here, which would keep the others out.
        try Factors.reset(person.id, in: transaction)
        let validUntil = now.addingTimeInterval(Credential.temporaryLifetime)
        try Credential.put(new.hash, temporaryUntil: validUntil, for: person.id, at: now, in: transaction)
        try record(.passwordIssued, on: person, called: person.fullName)
        return OpenedSandbox(
            sandbox: try SandboxRecord(sandbox, at: now, in: transaction), name: person.fullName,
            userName: person.userName,
            password: new.password, validUntil: validUntil)
    }
}
