import Administration
import Foundation
import ServerPages

/// The keys of a team, with which its servers sign client secrets.
package struct KeysPage: PortalPage {
    package let portal: Portal
    package let keys: [KeyRecord]
    /// What was typed into the form for a new one.
    package let typed: (name: String, publicKey: String)
    package let failure: OperationFailure?

    package init(
        portal: Portal, keys: [KeyRecord], typed: (name: String, publicKey: String) = ("", ""),
        failure: OperationFailure? = nil
    ) {
        self.portal = portal
        self.keys = keys
        self.typed = typed
        self.failure = failure
    }

    private var path: String { portal.path(of: .keys) }

    package var section: PortalSection? { .keys }
    package var heading: Sentence { Sentence("portalKeys.heading") }
    package var lead: Sentence? { Sentence("portalKeys.lead") }
    package var parts: [Part] {
        Part.refusals(failure) + [
            .table(
                Table(
                    heading,
                    [
                        .init(Sentence("portalKeys.name")), .init(Sentence("portalKeys.id")),
                        .init(Sentence("portalApp.created")), .init(Sentence("portalKeys.state")),
                        .init(Sentence("portalApp.action")),
                    ],
                    keys.map { key in
                        .init([
                            .text(key.name), .text(key.keyID), .day(key.createdAt),
                            key.revokedAt == nil
                                ? .mark(.success, Sentence("portalKeys.active"))
                                : .mark(.danger, Sentence("portalKeys.revoked")),
                            key.revokedAt == nil
                                ? .phrase(Sentence("portalKeys.revoke"), to: "\(path)/\(key.keyID)/revoke") : .nothing,
                        ])
                    }, empty: Sentence("portalKeys.none"))),
            .heading(Sentence("portalKeys.add"), Sentence("portalKeys.addLead")),
            .keyMaker(Sentence("portalKeys.make"), Sentence("portalKeys.made")),
            .form(
                ConsoleForm(
                    .init(path, hasFiles: true),
                    [
                        ConsoleField("name", .text, Sentence("portalKeys.name"), value: typed.name, isRequired: true),
                        ConsoleField(
                            "publicKey", .lines, Sentence("portalKeys.publicKey"), value: typed.publicKey,
                            hint: Sentence("portalKeys.publicKeyHint")),
                        ConsoleField(
                            "file", .file(accept: ".pub,.pem"), Sentence("portalKeys.file"),
                            hint: Sentence("portalKeys.fileHint")),
                    ], button: Sentence("portalKeys.add"))),
            .heading(Sentence("portalKeys.shell")),
            .code(
                """
                openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out key.p8
                openssl pkey -in key.p8 -pubout -out key.pub
                """),
        ]
    }
}

/// The members of a team, and how others join it.
package struct MembersPage: PortalPage {
    package let portal: Portal
    package let team: TeamRecord

    package init(portal: Portal, team: TeamRecord) {
        self.portal = portal
        self.team = team
    }

    private var path: String { portal.path(of: .members) }

    package var section: PortalSection? { .members }
    package var heading: Sentence { Sentence("portalMembers.heading") }
    package var lead: Sentence? { Sentence("portalMembers.lead") }
    package var parts: [Part] {
        var parts: [Part] = [
            .table(members),
            .heading(Sentence("portalMembers.invite"), Sentence("portalMembers.inviteLead")),
            .form(ConsoleForm(.init("\(path)/invite"), [], button: Sentence("portalMembers.invite"))),
        ]
        if team.invitations > 0 {
            parts += [
                .text(Sentence("portalMembers.open", ["count": .count(team.invitations)])),
                .form(
                    ConsoleForm(.init("\(path)/uninvite"), [], button: Sentence("portalMembers.uninvite"), isLine: true)
                ),
            ]
        }
        parts += [
            .heading(Sentence("portalMembers.rename")),
            .form(
                ConsoleForm(
                    .init("\(path)/rename", [("version", team.version)]),
                    [
                        ConsoleField(
                            "name", .text, Sentence("portalStart.foundField"), value: team.name, isRequired: true)
                    ],
                    button: Sentence("console.save"))),
        ]
        return parts
    }

    private var members: Table {
        // The only member cannot leave, and a column that would be empty is left out.
        let haveCompany = team.members.count > 1
        return Table(
            heading,
            [.init(Sentence("portalMembers.userName"))]
                + (haveCompany ? [.init(Sentence("portalApp.action"))] : []),
            team.members.map { member in
                .init([.address(member)] + (haveCompany ? [removal(of: member)] : []))
            }, empty: heading)
    }

    private func removal(of member: String) -> Cell {
        .phrase(
            Sentence(member == portal.person.userName ? "portalMembers.leave" : "portalMembers.remove"),
            to: portal.removalPath(ofMember: member))
    }

    static let sentences = ["leave", "remove"].flatMap { way in
        ["", "Heading", "Text", "Warning"].map { Sentence("portalMembers.\(way)\($0)") }
    }
}

/// The addresses from which a team may write to hidden addresses.
package struct SendersPage: PortalPage {
    package let portal: Portal
    package let senders: [SenderRecord]
    package let typed: String
    package let failure: OperationFailure?

    package init(portal: Portal, senders: [SenderRecord], typed: String = "", failure: OperationFailure? = nil) {
        self.portal = portal
        self.senders = senders
        self.typed = typed
        self.failure = failure
    }

    private var path: String { portal.path(of: .senders) }

    package var section: PortalSection? { .senders }
    package var heading: Sentence { Sentence("portalSenders.heading") }
    package var lead: Sentence? { Sentence("portalSenders.lead") }
    package var parts: [Part] {
        Part.refusals(failure) + [
            .table(
                Table(
                    heading, [.init(Sentence("portalSenders.sender")), .init(Sentence("portalApp.action"))],
                    senders.map { sender in
                        .init([
                            .address(sender.name),
                            .button(
                                Sentence("portalSenders.remove"), .init("\(path)/remove", [("sender", sender.name)])),
                        ])
                    }, empty: Sentence("portalSenders.none"))),
            .form(
                ConsoleForm(
                    .init(path),
                    [
                        ConsoleField(
                            "sender", .verbatim, Sentence("portalSenders.sender"), value: typed,
                            hint: Sentence("portalSenders.hint"), isRequired: true)
                    ], button: Sentence("portalSenders.add"))),
        ]
    }
}

/// A form with one field about an app: to which team it is offered.
package struct OfferAppPage: PortalPage {
    package let portal: Portal
    package let app: AppRecord
    package let typed: String
    package let failure: OperationFailure?

    package init(portal: Portal, app: AppRecord, typed: String = "", failure: OperationFailure? = nil) {
        self.portal = portal
        self.app = app
        self.typed = typed
        self.failure = failure
    }

    private var path: String { portal.path(of: app) }

    package var section: PortalSection? { .apps }
    package var heading: Sentence { Sentence("portalApp.offerHeading", ["app": .text(app.name)]) }
    package var lead: Sentence? { Sentence("portalApp.offerLead") }
    package var parent: ConsoleLink? { ConsoleLink(.named(app.name), to: path) }
    package var parts: [Part] {
        Part.refusals(failure) + [
            .form(
                ConsoleForm(
                    .init("\(path)/offer", [("version", app.version)]),
                    [
                        ConsoleField(
                            "team", .verbatim, Sentence("portalStart.teamID"), value: typed,
                            hint: Sentence("portalApp.offerHint"), isRequired: true)
                    ], button: Sentence("portalApp.offer"), cancel: .cancel(to: path)))
        ]
    }
}
