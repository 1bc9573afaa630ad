import Authorization
import Directory
import Foundation
import HiddenMail
import Storage

/// A domain or an address from which a team writes to hidden addresses.
package struct SenderRecord: Codable, Equatable, Sendable {
    package let name: String
    package let createdAt: Date

    init(_ sender: RelaySender) {
        name = sender.name
        createdAt = sender.createdAt
    }
}

/// Lists from where a team writes to hidden addresses.
package struct ListSenders: Inquiry, TeamOperation {
    package static let name = "sender.list"
    package static let summary = "Lists the domains and addresses from which a team writes to hidden addresses."
    package static let privilege = Privilege.manageTeams
    package static let route = OperationRoute(.get, "teams/{team}/senders", below: .server)
    package static let explanations = ["team": TeamReference.explanation]

    package struct Answer: Codable, Sendable {
        package let teamID: String
        package let senders: [SenderRecord]
    }

    package let team: TeamReference

    package init(team: TeamReference) { self.team = team }

    package func answer(
        about team: Team, in context: OperationContext, _ transaction: some Transaction
    ) throws -> Answer {
        Answer(
            teamID: team.publicID,
            senders: try RelaySender.list(of: team.id, in: transaction).map { SenderRecord($0) })
    }
}

/// Lets a domain or an address write to the hidden addresses of a team.
package struct AddSender: Change, TeamOperation {
    package typealias Answer = SenderRecord

    package static let name = "sender.add"
    package static let summary = """
        Lets a domain or an address write to the hidden addresses of a team. A sender has to pass SPF or DKIM, too.
        """
    package static let privilege = Privilege.manageTeams
    package static let route = OperationRoute(.post, "teams/{team}/senders", below: .server)
    package static let explanations = [
        "team": TeamReference.explanation, "sender": "A domain such as mail.quizzler.example, or an address.",
    ]
    package static let undo = UndoRule.possible
    package static let mayChangeNothing = true

    package let team: TeamReference
    package let sender: String

    package init(team: TeamReference, sender: String) {
        self.team = team
        self.sender = sender
    }

    package func carryOut(on team: Team, _: Void, in act: Act) throws -> SenderRecord {
        let name = try RelaySender.check(sender)
        let isNew = try RelaySender.insert(
            name, for: team.id, relayDomain: act.context.services.developers.relayDomain, at: act.now,
            in: act.transaction)
        if isNew {
            try act.record(.teamChanged, on: team, called: team.name, "sender \(name) added")
            act.undo(by: RemoveSender(team: TeamReference(team), sender: name))
        }
        guard let sender = try RelaySender.list(of: team.id, in: act.transaction).first(where: { $0.name == name })
        else {
            throw OperationError.notFound(.sender, name, in: team.name)
        }
        return SenderRecord(sender)
    }
}

/// Takes no more mail from a sender.
package struct RemoveSender: Change, TeamOperation {
    package static let name = "sender.remove"
    package static let summary = "Takes no more mail from a sender of a team."
    package static let privilege = Privilege.manageTeams
    package static let route = OperationRoute(.delete, "teams/{team}/senders/{sender}", below: .server)
    package static let explanations = [
        "team": TeamReference.explanation, "sender": "The domain or address, as `sender.list` has it.",
    ]
    package static let undo = UndoRule.possible

    package struct Answer: Codable, Sendable {
        package let removed: String
    }

    package let team: TeamReference
    package let sender: String

    package init(team: TeamReference, sender: String) {
        self.team = team
        self.sender = sender
    }

    package func carryOut(on team: Team, _: Void, in act: Act) throws -> Answer {
        let name = sender.lowercased()
        guard try RelaySender.delete(name, of: team.id, in: act.transaction) else {
            throw OperationError.notFound(.sender, name, in: team.name)
        }
        try act.record(.teamChanged, on: team, called: team.name, "sender \(name) removed")
        act.undo(by: AddSender(team: TeamReference(team), sender: name))
        return Answer(removed: name)
    }
}
