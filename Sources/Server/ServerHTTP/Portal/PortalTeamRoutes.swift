import Administration
import ConsolePages
import Foundation
import Hummingbird
import ServerPages

/// `/developer/teams/…`: keys, members, and the addresses from which a team writes.
struct PortalTeamRoutes: Sendable {
    let door: PortalDoor

    func mount(on router: some RouterMethods<AppContext>) {
        let team: RouterPath = "developer/teams/{team}"
        router.get("\(team)/keys", use: keys)
        router.post("\(team)/keys", use: registerKey)
        router.get("\(team)/keys/{key}/revoke", use: askToRevoke)
        router.post("\(team)/keys/{key}/revoke", use: revoke)
        router.get("\(team)/members", use: members)
        router.post("\(team)/members/invite", use: invite)
        router.post("\(team)/members/uninvite", use: withdrawInvitations)
        router.get("\(team)/members/{person}/remove", use: askToRemoveMember)
        router.post("\(team)/members/{person}/remove", use: removeMember)
        router.post("\(team)/members/rename", use: rename)
        router.get("\(team)/senders", use: senders)
        router.post("\(team)/senders", use: addSender)
        router.post("\(team)/senders/remove", use: removeSender)
    }

    // MARK: Keys

    @Sendable private func keys(_ request: Request, context: AppContext) async throws -> Response {
        try await door.open(request, context) { visit in
            .page(KeysPage(portal: visit.portal, keys: try await visit.ask(ListKeys(team: visit.team)).keys))
        }
    }

    /// How long a form with a public key may be, in bytes. A key is a thousand times shorter.
    private static let keyFormBytesMax = 1 << 20

    @Sendable private func registerKey(_ request: Request, context: AppContext) async throws -> Response {
        var typed = (name: "", publicKey: "")
        return try await door.receive(
            request, context, bytesMax: Self.keyFormBytesMax,
            again: { visit, failure in
                KeysPage(
                    portal: visit.portal, keys: try await visit.ask(ListKeys(team: visit.team)).keys, typed: typed,
                    failure: failure)
            }
        ) { visit, upload in
            // Asked before anything of the form is read, so that somebody who is not in the team sends no file.
            _ = try await visit.ask(ListKeys(team: visit.team))
            let (fields, files) = try await upload.begin()
            let input = ConsoleInput(fields)
            typed = (name: try input["name"] ?? "", publicKey: try input["publicKey"] ?? "")
            var publicKey = typed.publicKey
            if publicKey.isEmpty {
                let file = try await files.file(bytesMax: Self.keyFormBytesMax)
                publicKey = String(decoding: file, as: UTF8.self)
            }
            let done = try await visit.perform(
                RegisterKey(team: visit.team, name: typed.name, publicKey: publicKey))
            return .next(visit.portal.path(of: .keys), changes: done.changes)
        }
    }

    @Sendable private func askToRevoke(_ request: Request, context: AppContext) async throws -> Response {
        let key = try context.pathInput("key")
        return try await door.open(request, context, confirmsIdentity: true) { visit in
            let path = visit.portal.path(of: .keys)
            return .page(
                ConfirmPage(
                    frame: visit.portal.frame(in: .keys), heading: Sentence("portalKeys.revokeHeading"),
                    parent: ConsoleLink(Sentence("portalKeys.heading"), to: path),
                    consequences: [Sentence("portalKeys.revokeText")],
                    preview: try await visit.preview(RevokeKey(key: key)), action: "\(path)/\(key)/revoke",
                    button: Sentence("portalKeys.revoke"), isFinal: true))
        }
    }

    @Sendable private func revoke(_ request: Request, context: AppContext) async throws -> Response {
        let key = try context.pathInput("key")
        return try await door.submit(request, context, confirmsIdentity: true) { visit, input in
            _ = try await visit.perform(RevokeKey(key: key), ifVersion: try input.version)
            return .next(visit.portal.path(of: .keys), changes: [])
        }
    }

    // MARK: Members

    @Sendable private func members(_ request: Request, context: AppContext) async throws -> Response {
        try await door.open(request, context) { visit in
            .page(MembersPage(portal: visit.portal, team: try await visit.ask(ShowTeam(team: visit.team))))
        }
    }

    @Sendable private func invite(_ request: Request, context: AppContext) async throws -> Response {
        try await submit(request, context, .members) { visit, _ in
            let done = try await visit.perform(InviteMember(team: visit.team))
            return .page(
                ShownOncePage(
                    portal: visit.portal, section: .members, heading: Sentence("portalMembers.invited"),
                    lead: Sentence("portalMembers.invitedLead"), value: done.answer.code,
                    back: ConsoleLink(Sentence("console.goOn"), to: visit.portal.path(of: .members))))
        }
    }

    @Sendable private func withdrawInvitations(_ request: Request, context: AppContext) async throws -> Response {
        try await submit(request, context, .members) { visit, _ in
            _ = try await visit.perform(WithdrawInvitations(team: visit.team))
            return .next(visit.portal.path(of: .members), changes: [])
        }
    }

    /// Nobody but the person can take it back, by joining again.
    @Sendable private func askToRemoveMember(_ request: Request, context: AppContext) async throws -> Response {
        let person = try context.pathInput("person")
        return try await door.open(request, context, confirmsIdentity: true) { visit in
            let way = person == visit.portal.person.userName ? "leave" : "remove"
            let names: Content = ["person": .text(person), "team": .text(visit.portal.team?.name ?? "")]
            return .page(
                ConfirmPage(
                    frame: visit.portal.frame(in: .members), heading: Sentence("portalMembers.\(way)Heading", names),
                    parent: ConsoleLink(Sentence("portalMembers.heading"), to: visit.portal.path(of: .members)),
                    consequences: [Sentence("portalMembers.\(way)Text", names), Sentence("portalMembers.keysStay")],
                    preview: try await visit.preview(
                        RemoveMember(team: visit.team, person: PersonReference(person))),
                    action: visit.portal.removalPath(ofMember: person), button: Sentence("portalMembers.\(way)"),
                    isFinal: true, warning: Sentence("portalMembers.\(way)Warning", names)))
        }
    }

    @Sendable private func removeMember(_ request: Request, context: AppContext) async throws -> Response {
        let person = try context.pathInput("person")
        return try await door.submit(request, context, confirmsIdentity: true) { visit, input in
            _ = try await visit.perform(
                RemoveMember(team: visit.team, person: PersonReference(person)), ifVersion: try input.version)
            // Whoever leaves has no business there any more.
            let isOneself = person == visit.portal.person.userName
            return .next(isOneself ? PortalSection.start : visit.portal.path(of: .members), changes: [])
        }
    }

    @Sendable private func rename(_ request: Request, context: AppContext) async throws -> Response {
        try await submit(request, context, .members) { visit, input in
            let done = try await visit.perform(
                RenameTeam(team: visit.team, name: try input["name"] ?? ""), ifVersion: try input.version)
            return .next(visit.portal.path(of: .members), changes: done.changes)
        }
    }

    // MARK: Senders

    @Sendable private func senders(_ request: Request, context: AppContext) async throws -> Response {
        try await door.open(request, context) { visit in
            .page(
                SendersPage(portal: visit.portal, senders: try await visit.ask(ListSenders(team: visit.team)).senders))
        }
    }

    @Sendable private func addSender(_ request: Request, context: AppContext) async throws -> Response {
        try await door.submit(
            request, context,
            again: { visit, input, failure in
                SendersPage(
                    portal: visit.portal, senders: try await visit.ask(ListSenders(team: visit.team)).senders,
                    typed: try input["sender"] ?? "", failure: failure)
            }
        ) { visit, input in
            let done = try await visit.perform(AddSender(team: visit.team, sender: try input["sender"] ?? ""))
            return .next(visit.portal.path(of: .senders), changes: done.changes)
        }
    }

    @Sendable private func removeSender(_ request: Request, context: AppContext) async throws -> Response {
        try await submit(request, context, .senders) { visit, input in
            let done = try await visit.perform(RemoveSender(team: visit.team, sender: try input["sender"] ?? ""))
            return .next(visit.portal.path(of: .senders), changes: done.changes)
        }
    }

    /// A form without a page of its own: whoever has to sign in first goes on at the section.
    private func submit(
        _ request: Request, _ context: AppContext, _ section: PortalSection,
        _ act: (PortalDoor.Visit, ConsoleInput) async throws -> PortalDoor.Answer
    ) async throws -> Response {
        let team = try context.pathInput("team")
        return try await door.submit(
            request, context, from: LocalPath("\(PortalSection.start)/teams/\(team)/\(section.rawValue)").text, act)
    }
}
