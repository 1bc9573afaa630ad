import Authorization
import Directory
import Storage

/// Shows the sandbox of a team.
package struct ShowSandbox: Inquiry, TeamOperation {
    package static let name = "sandbox.show"
    package static let summary = "Shows the sandbox of a team, if it has one."
    package static let privilege = Privilege.manageTeams
    package static let route = OperationRoute(.get, "teams/{team}/sandbox", below: .server)
    package static let explanations = ["team": TeamReference.explanation]

    package struct Answer: Codable, Sendable {
        /// Nil if the team has none.
        package let sandbox: SandboxRecord?
    }

    package let team: TeamReference

    package init(team: TeamReference) { self.team = team }

    package func answer(
        about team: Team, in context: OperationContext, _ transaction: some Transaction
    ) throws -> Answer {
        guard try Sandbox.find(of: team.id, in: transaction) != nil else { return Answer(sandbox: nil) }
        return Answer(
            sandbox: try SandboxRecord(
                try TeamSandbox(of: team, at: context.now, in: transaction), at: context.now, in: transaction))
    }
}

/// Removes the sandbox of a team. Nobody of it can sign in any more, and all of it is erased within a day.
package struct RemoveSandbox: ForeseenChange {
    package static let name = "sandbox.remove"
    package static let summary = """
        Removes the sandbox of a team: nobody of it signs in any more, and all of it is erased within a day. It needs the \
        preview's version.
        """
    package static let privilege = Privilege.manageTeams
    package static let route = OperationRoute(.delete, "teams/{team}/sandbox", below: .server)
    package static let explanations = ["team": TeamReference.explanation]
    package static let undo = UndoRule.impossible("Its people are erased. `sandbox.create` makes a new one.")
    package static let needsVersion = true
    package static let locksRoster = true
    package static let locksSignIns = true

    package struct Answer: Codable, Sendable {
        /// The name of the sandbox.
        package let removed: String
    }

    package let team: TeamReference

    package init(team: TeamReference) { self.team = team }

    package func subject(in context: OperationContext, _ transaction: some Transaction) throws -> TeamSandbox {
        try TeamSandbox(
            of: try team.find(for: Self.privilege, in: context, transaction), at: context.now, in: transaction)
    }

    private static let text = "sandbox removed"

    package func foresee(
        on sandbox: TeamSandbox, in context: OperationContext, _ transaction: ReadTransaction
    ) throws -> [Effect] {
        [Effect(.teamChanged, on: sandbox.team, called: sandbox.team.name, Self.text)]
            + (try sandbox.whole.effectsOfClosing(erasingOn: CalendarDay(context.now), in: transaction))
    }

    package func carryOut(on sandbox: TeamSandbox, _: Void, in act: Act) throws -> Answer {
        try act.record(.teamChanged, on: sandbox.team, called: sandbox.team.name, Self.text)
        try act.close(sandbox.whole, erasingOn: CalendarDay(act.now))
        return Answer(removed: sandbox.whole.organization.name)
    }

    /// Tells the apps to which people of the sandbox have signed in, as when any organization closes.
    package func followUp(on sandbox: TeamSandbox, _ followUp: FollowUp) async throws {
        guard !followUp.origin.isRequest else { return }
        try await followUp.tellOfDepartures()
    }
}
