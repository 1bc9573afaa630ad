import Authorization
import Directory
import Ground
import Storage

/// Makes a person a member of a team. Members invite others; only the operator makes somebody a member who has not
/// asked for it.
package struct AddMember: Change, TeamOperation {
    package typealias Answer = TeamRecord

    package static let name = "team.member.add"
    package static let summary = """
        Makes a person a member of a team at once. Only the operator may: members invite others with `team.invite`.
        """
    package static let privilege = Privilege.operateServer
    package static let route = OperationRoute(.post, "teams/{team}/members", below: .server)
    package static let explanations = [
        "team": TeamReference.explanation, "person": "User name, person id, or number, such as `PE-12`.",
    ]
    package static let undo = UndoRule.possible
    package static let mayChangeNothing = true

    package let team: TeamReference
    package let person: PersonReference

    package init(team: TeamReference, person: PersonReference) {
        self.team = team
        self.person = person
    }

    package func carryOut(on team: Team, _: Void, in act: Act) throws -> TeamRecord {
        let person = try person.findToChange(in: act.context, act.transaction)
        guard try act.add(person, to: team) else { return try act.teamRecord(team) }
        act.undo(by: RemoveMember(team: TeamReference(team), person: PersonReference(person.id)))
        return try act.teamRecord(team)
    }
}

/// Ends the membership of a person, who may be the caller.
package struct RemoveMember: Change, TeamOperation {
    package typealias Answer = TeamRecord

    package static let name = "team.member.remove"
    package static let summary = """
        Ends the membership of a person, from the next call on. The last member cannot leave; only the operator removes \
        them.
        """
    package static let privilege = Privilege.manageTeams
    package static let route = OperationRoute(.delete, "teams/{team}/members/{person}", below: .server)
    package static let explanations = [
        "team": TeamReference.explanation, "person": "A member: user name, or number, such as `PE-12`.",
    ]
    package static let undo = UndoRule.possible

    package let team: TeamReference
    package let person: PersonReference

    package init(team: TeamReference, person: PersonReference) {
        self.team = team
        self.person = person
    }

    package func carryOut(on team: Team, _: Void, in act: Act) throws -> TeamRecord {
        let members = try Team.members(of: team.id, in: act.transaction)
            .compactMap { try Person.find($0, in: act.transaction) }
        // The person is looked for among the members only, so that nobody learns here who else has an account.
        guard
            let member = members.first(where: {
                PersonReference($0.id) == person || $0.userName.lowercased() == person.text.lowercased()
            })
        else { throw OperationError.notFound(.member, person.text, in: team.name) }
        guard members.count > 1 || act.context.authority.isOperator else {
            throw OperationError.refused(
                "\(member.userName) is the last member of \(team.name), and nobody else could look after it. Invite somebody, "
                    + "or remove the team.")
        }
        _ = try team.remove(member: member.id, in: act.transaction)
        try act.record(.teamChanged, on: team, called: team.name, "member person:\(member.id.rawValue) removed")
        // A member makes nobody a member again without being asked: they invite.
        if act.context.authority.isOperator {
            act.undo(by: AddMember(team: TeamReference(team), person: PersonReference(member.id)))
        }
        return try act.teamRecord(team)
    }
}

extension Act {
    /// Makes a person a member, and records it.
    /// - Returns: false if they are one already.
    fileprivate func add(_ person: Person, to team: Team) throws -> Bool {
        guard try !Team.isMember(person.id, of: team.id, in: transaction) else { return false }
        try team.add(member: person.id, in: transaction)
        try record(.teamChanged, on: team, called: team.name, "member person:\(person.id.rawValue) added")
        return true
    }
}

/// Makes a code with which somebody becomes a member.
package struct InviteMember: Change, TeamOperation {
    package static let name = "team.invite"
    package static let summary = """
        Makes a code with which somebody joins the team, once, within a week. The answer is the only place where it is \
        shown.
        """
    package static let privilege = Privilege.manageTeams
    package static let route = OperationRoute(.post, "teams/{team}/invitations", below: .server)
    package static let explanations = ["team": TeamReference.explanation]
    package static let undo = UndoRule.impossible("`team.uninvite` makes all open codes void.")

    package struct Answer: Codable, Sendable {
        package let team: TeamRecord
        package let code: String
    }

    package let team: TeamReference

    package init(team: TeamReference) { self.team = team }

    package func carryOut(on team: Team, _: Void, in act: Act) throws -> Answer {
        guard
            let code = try TeamInvitation.insert(
                to: team.id, by: act.context.authority.person, at: act.now, from: act.surroundings, in: act.transaction)
        else {
            throw OperationError.refused(
                "\(team.name) has \(TeamInvitation.countMax) open invitations. Withdraw them before you make another.")
        }
        try act.record(.teamChanged, on: team, called: team.name, "invitation made")
        return Answer(team: try act.teamRecord(team), code: code.text)
    }
}

/// Makes all open codes of a team void.
package struct WithdrawInvitations: Change, TeamOperation {
    package typealias Answer = TeamRecord

    package static let name = "team.uninvite"
    package static let summary = "Makes all codes void with which somebody could still join the team."
    package static let privilege = Privilege.manageTeams
    package static let route = OperationRoute(.delete, "teams/{team}/invitations", below: .server)
    package static let explanations = ["team": TeamReference.explanation]
    package static let undo = UndoRule.impossible("The codes are not stored, so that they cannot count again.")

    package let team: TeamReference

    package init(team: TeamReference) { self.team = team }

    package func carryOut(on team: Team, _: Void, in act: Act) throws -> TeamRecord {
        let count = try TeamInvitation.withdraw(of: team.id, in: act.transaction)
        guard count > 0 else { throw OperationError.refused("\(team.name) has no open invitation.") }
        try act.record(
            .teamChanged, on: team, called: team.name,
            "\(count) \(count == 1 ? "invitation" : "invitations") withdrawn")
        return try act.teamRecord(team)
    }
}

/// Becomes a member of the team that has made a code.
package struct JoinTeam: Change {
    package typealias Answer = TeamRecord

    package static let name = "team.join"
    package static let summary = "Makes you a member of the team whose invitation you have got."
    package static let privilege = Privilege.joinTeams
    package static let route = OperationRoute(.post, "joined-teams", below: .server)
    package static let explanations = ["code": "The code of the invitation."]
    package static let undo = UndoRule.impossible("Whoever has joined leaves with `team.member.remove`.")

    package let code: String

    package init(code: String) { self.code = code }

    package func subject(in context: OperationContext, _ transaction: some Transaction) throws -> TeamJoining {
        guard let invitation = try TeamInvitation.find(code, at: context.now, in: transaction),
            let team = try Team.find(invitation.teamID, in: transaction)
        else {
            throw OperationError.refused(
                "This invitation is not known here, was used before, or is over. Ask the team for another.")
        }
        return TeamJoining(
            team: team, invitation: invitation,
            isAllowed: try TeamJoining.isAllowed(to: context.authority, in: transaction))
    }

    package func carryOut(on joining: TeamJoining, _: Void, in act: Act) throws -> TeamRecord {
        let team = joining.team
        guard let id = act.context.authority.person, let person = try Person.find(id, in: act.transaction) else {
            throw OperationError.refused("Only a person joins a team. `team.member.add` makes somebody else a member.")
        }
        guard try joining.invitation.take(in: act.transaction) else {
            throw OperationError.refused("This invitation was used in the meantime. Ask the team for another.")
        }
        guard try act.add(person, to: team) else {
            throw OperationError.refused("You are a member of \(team.name) already.")
        }
        return try act.teamRecord(team)
    }
}

/// An invitation, as the subject of an operation of whoever has its code.
package struct TeamJoining: OperationSubject {
    let team: Team
    let invitation: TeamInvitation
    fileprivate let isAllowed: Bool

    package var subjectOrganization: OrganizationID? { nil }
    package var subjectTeam: TeamID? { team.id }
    package var isOpenToAnybody: Bool { true }
    package var auditName: String { team.auditName }

    package func isOpen(
        to authority: Authority, for privilege: Privilege, in transaction: some Transaction
    ) -> Bool { authority.isOperator || isAllowed && authority.has(privilege) }

    /// Whether the caller may join a team at all, if somebody invites them.
    static func isAllowed(to authority: Authority, in transaction: some Transaction) throws -> Bool {
        try authority.person.map { try $0.mayDevelop(in: transaction) } ?? false
    }
}
