import Authorization
import Directory
import Storage

/// What a transfer of an app has ended.
package struct TransferredApp: Codable, Sendable {
    package let app: AppRecord
    /// The clients whose fixed secret has become void.
    package let clientsWithoutSecret: [String]
    /// The names of the organizations that have to consent again.
    package let endedConsents: [String]
}

/// Hands an app over to another team at once, without asking it.
package struct TransferApp: AppChange {
    package typealias Answer = TransferredApp

    package static let name = "app.transfer"
    package static let summary = """
        Hands an app over to another team at once. Only the operator may: members offer their app with `app.offer`.
        """
    package static let privilege = Privilege.operateServer
    package static let route = OperationRoute(.post, "apps/{app}/transfer", below: .server)
    package static let explanations = ["app": AppReference.explanation, "team": TeamReference.explanation]
    package static let undo = UndoRule.impossible(
        "Consents of organizations have ended. The app is handed back in the same way.")

    package let app: AppReference
    package let team: TeamReference

    package init(app: AppReference, team: TeamReference) {
        self.app = app
        self.team = team
    }

    package func carryOut(on app: App, _: Void, in act: Act) throws -> TransferredApp {
        try act.transfer(app, to: team.find(for: Self.privilege, in: act.context, act.transaction))
    }
}

/// Offers an app to another team.
package struct OfferApp: AppChange {
    package typealias Answer = AppRecord

    package static let name = "app.offer"
    package static let summary = """
        Offers an app to another team, which accepts it with `app.accept` within two weeks. Until then nothing changes.
        """
    package static let privilege = Privilege.manageApps
    package static let route = OperationRoute(.post, "apps/{app}/offer", below: .server)
    package static let explanations = [
        "app": AppReference.explanation, "team": "The id of 10 characters of the team that may accept it.",
    ]
    package static let undo = UndoRule.possible

    package let app: AppReference
    /// The id of the other team: members are told the names of their own teams only.
    package let team: String

    package init(app: AppReference, team: String) {
        self.app = app
        self.team = team
    }

    package func carryOut(on app: App, _: Void, in act: Act) throws -> AppRecord {
        guard let team = try Team.find(publicID: team, in: act.transaction), team.removedAt == nil else {
            throw OperationError.notFound(.team, self.team, in: nil)
        }
        guard team.id != app.teamID else { throw App.Problem.alreadyOfTeam(team.name) }
        let former = try AppOffer.find(app.id, at: act.now, in: act.transaction).flatMap { offer in
            try Team.find(offer.to, in: act.transaction)
        }
        try AppOffer.put(app.id, to: team.id, at: act.now, in: act.transaction)
        try act.record(.appOffered, on: app, called: app.name, "to team:\(team.publicID)")
        if let former {
            act.undo(by: OfferApp(app: AppReference(app.id), team: former.publicID))
        } else {
            act.undo(by: WithdrawOffer(app: AppReference(app.id)))
        }
        return try act.appRecord(app)
    }
}

/// Takes an offer back.
package struct WithdrawOffer: AppChange {
    package typealias Answer = AppRecord

    package static let name = "app.withdraw"
    package static let summary = "Takes the offer of an app to another team back."
    package static let privilege = Privilege.manageApps
    package static let route = OperationRoute(.delete, "apps/{app}/offer", below: .server)
    package static let explanations = ["app": AppReference.explanation]
    package static let undo = UndoRule.possible

    package let app: AppReference

    package init(app: AppReference) { self.app = app }

    package func carryOut(on app: App, _: Void, in act: Act) throws -> AppRecord {
        guard let offer = try AppOffer.find(app.id, at: act.now, in: act.transaction),
            let team = try Team.find(offer.to, in: act.transaction)
        else { throw OperationError.refused("\(app.name) is offered to no team.") }
        try AppOffer.delete(app.id, in: act.transaction)
        try act.record(.appOffered, on: app, called: app.name, "not to team:\(team.publicID) any more")
        act.undo(by: OfferApp(app: AppReference(app.id), team: team.publicID))
        return try act.appRecord(app)
    }
}

/// Takes over an app that another team offers.
package struct AcceptApp: Change {
    package typealias Answer = TransferredApp

    package static let name = "app.accept"
    package static let summary = """
        Takes over an app that another team offers to yours. From then on its servers authenticate with keys of your team, and \
        organizations are asked for their consent again.
        """
    package static let privilege = Privilege.manageApps
    package static let route = OperationRoute(.post, "apps/{app}/accept", below: .server)
    package static let explanations = ["app": "The app: a client id, or its number, such as `app:12`."]
    package static let undo = UndoRule.impossible(
        "Consents of organizations have ended. The app is offered back in the same way.")

    package let app: AppReference

    package init(app: AppReference) { self.app = app }

    package func subject(in context: OperationContext, _ transaction: some Transaction) throws -> OfferedApp {
        try app.findOffered(for: Self.privilege, in: context, transaction)
    }

    package func carryOut(on offered: OfferedApp, _: Void, in act: Act) throws -> TransferredApp {
        try act.transfer(offered.app, to: offered.team)
    }
}

/// Says no to an offer.
package struct DeclineApp: Change {
    package typealias Answer = DeclinedApp

    package static let name = "app.decline"
    package static let summary = "Says no to an app that another team offers to yours. It stays theirs."
    package static let privilege = Privilege.manageApps
    package static let route = OperationRoute(.post, "apps/{app}/decline", below: .server)
    package static let explanations = AcceptApp.explanations
    package static let undo = UndoRule.impossible("The other team can offer it again.")

    package let app: AppReference

    package init(app: AppReference) { self.app = app }

    package func subject(in context: OperationContext, _ transaction: some Transaction) throws -> OfferedApp {
        try app.findOffered(for: Self.privilege, in: context, transaction)
    }

    package func carryOut(on offered: OfferedApp, _: Void, in act: Act) throws -> DeclinedApp {
        try AppOffer.delete(offered.app.id, in: act.transaction)
        try act.record(
            .appOffered, on: offered, called: offered.app.name, "declined by team:\(offered.team.publicID)")
        return DeclinedApp(declined: offered.app.name)
    }
}

/// An offer to which a team has said no.
package struct DeclinedApp: Codable, Equatable, Sendable {
    /// The name of the app.
    package let declined: String
}

extension AppReference {
    /// An app that is offered to a team of the caller.
    /// - Throws: ``OperationError/forbidden(_:)``, for the operator a refusal that says that there is no offer
    fileprivate func findOffered(
        for privilege: Privilege, in context: OperationContext, _ transaction: some Transaction
    ) throws -> OfferedApp {
        let refusal = OperationError.forbidden(privilege)
        let found: App
        do {
            found = try find(transaction)
        } catch is OperationError where !context.authority.isOperator {
            // A caller without an offer must not learn whether there is such an app.
            throw refusal
        }
        guard found.removedAt == nil, let offer = try AppOffer.find(found.id, at: context.now, in: transaction),
            let team = try Team.find(offer.to, in: transaction), context.authority.has(privilege, in: team.id)
        else {
            guard context.authority.isOperator else { throw refusal }
            throw OperationError.refused("\(found.name) is offered to no team.")
        }
        return OfferedApp(app: found, team: team)
    }
}

/// An app that is offered to a team, as the subject of an operation of that team.
package struct OfferedApp: OperationSubject {
    let app: App
    let team: Team

    package var subjectOrganization: OrganizationID? { nil }
    package var subjectTeam: TeamID? { team.id }
    package var auditName: String { app.auditName }

    package func isOpen(
        to authority: Authority, for privilege: Privilege, in transaction: some Transaction
    ) -> Bool { authority.has(privilege, in: team.id) }

    package func version(in transaction: some Transaction) throws -> String? { try app.version(in: transaction) }
}

extension Act {
    /// Hands the app over, and records what ends by that. docs/decisions/0013-transfers.md.
    fileprivate func transfer(_ app: App, to team: Team) throws -> TransferredApp {
        let handover = try app.transfer(to: team, at: now, surroundings: surroundings, in: transaction)
        let secrets = handover.clientsWithoutSecret
        try record(
            .appTransferred, on: app, called: app.name,
            "to team:\(team.publicID)" + (secrets.isEmpty ? "" : "; secrets void of \(secrets.joined(separator: " "))"))
        try record(handover.endedConsents, to: app, .consentRevoked) { $0.scopes.text }
        return TransferredApp(
            app: try appRecord(app), clientsWithoutSecret: secrets,
            endedConsents: try handover.endedConsents.compactMap {
                try Organization.find($0.organizationID, in: transaction)?.name
            })
    }
}
