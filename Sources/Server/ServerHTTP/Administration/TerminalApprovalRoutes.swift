import Administration
import Authorization
import Directory
import Foundation
import Ground
import HTTPTypes
import Hummingbird
import ServerPages
import Storage

/// `/device/terminal`: a person allows a terminal to act as an administrator in their name. The code is in the address,
/// because the person may have to sign in first. RFC 8628 §3.3.
struct TerminalApprovalRoutes: Sendable {
    let database: any Database
    let terminals: TerminalSignIns
    let door: AccountDoor
    /// The budget for wrong codes, shared with ``DeviceAuthorizationRoutes``.
    let wrongCodes: FailureBudget

    static func path(of userCode: String) -> String { "/device/terminal?user_code=\(userCode)" }

    func mount(on router: some RouterMethods<AppContext>) {
        router.get("device/terminal", use: show)
        router.post("device/terminal", use: decide)
    }

    @Sendable private func show(_ request: Request, context: AppContext) async throws -> Response {
        guard let path = try Self.path(of: request) else { return .seeOther("/device") }
        return try await door.openFresh(request, context, at: path) { visit in
            guard let waiting = try await waiting(for: visit), waiting.answer == nil else {
                return respond(with: .over, at: path, visit)
            }
            let rights = try await terminals.privileges(of: visit.person.id, for: waiting)
            guard !rights.isEmpty else { return respond(with: .nothing, at: path, visit) }
            return door.respond(with: try await page(for: waiting, rights, visit, at: path), at: path, visit)
        }
    }

    @Sendable private func decide(_ request: Request, context: AppContext) async throws -> Response {
        guard let path = try Self.path(of: request) else { return .seeOther("/device") }
        return try await door.submitFresh(request, context, at: path) { visit, form in
            guard let waiting = try await waiting(for: visit) else { return respond(with: .over, at: path, visit) }
            let answer: TerminalSignIn.Answer = try form["decision"] == "continue" ? .allowed : .denied
            let rights = try await terminals.privileges(of: visit.person.id, for: waiting)
            guard answer == .denied || !rights.isEmpty else { return respond(with: .nothing, at: path, visit) }
            guard try await terminals.decide(answer, on: waiting, by: visit.session, from: visit.origin) else {
                return respond(with: .over, at: path, visit)
            }
            return respond(with: answer == .allowed ? .allowed : .denied, at: path, visit)
        }
    }

    /// The page's path with the code; nil if the request has none that could be a code.
    private static func path(of request: Request) throws -> String? {
        guard let code = try request.queryParameters()["user_code"],
            code.utf8.count <= 32,
            code.allSatisfy({ $0 == "-" || $0.isASCII && ($0.isLetter || $0.isNumber) })
        else { return nil }
        return path(of: code)
    }

    /// The terminal with the code in the address. Wrong codes are counted, so that codes cannot be found by trial.
    private func waiting(for visit: AccountDoor.Visit) async throws -> TerminalSignIn? {
        let address = AddressBlock(visit.context.remoteAddress)
        do {
            try wrongCodes.take(address)
        } catch is FailureBudget.Exhausted {
            return nil
        }
        let code = try visit.request.queryParameters()["user_code"] ?? ""
        guard let waiting = try await terminals.waiting(userCode: code) else { return nil }
        wrongCodes.giveBack(1, to: address)
        return waiting
    }

    private func page(
        for waiting: TerminalSignIn, _ rights: Set<Privilege>, _ visit: AccountDoor.Visit, at path: String
    ) async throws -> TerminalApprovalPage {
        let now = door.pages.surroundings.now()
        let (organization, person) = try await database.read { transaction in
            (
                try visit.person.organizationID.flatMap { try Organization.find($0, in: transaction) },
                try SignedInPerson(visit.person, at: now, in: transaction)
            )
        }
        // Whoever has no role manages teams, and nothing of the organization.
        let isOfTeams = rights.isSubset(of: Privilege.ofTeams)
        return TerminalApprovalPage(
            organization: isOfTeams ? nil : organization.map { Badge($0) }, person: person, userCode: waiting.userCode,
            program: waiting.program.isEmpty ? nil : waiting.program,
            address: waiting.address.isEmpty ? nil : waiting.address,
            rights: TerminalApprovalPage.Right.allCases.filter { right in
                rights.contains { $0.rawValue == right.rawValue }
            },
            decision: Form(action: path))
    }

    private func respond(
        with outcome: TerminalDonePage.Outcome, at path: String, _ visit: AccountDoor.Visit
    ) -> Response {
        door.respond(with: TerminalDonePage(outcome), at: path, visit)
    }
}
