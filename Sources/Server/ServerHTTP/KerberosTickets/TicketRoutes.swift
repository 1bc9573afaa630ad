import Authorization
import Directory
import Foundation
import Ground
import HTTPTypes
import Hummingbird
import KerberosTickets
import Logging
import ServerPages
import Storage

/// `/sign-in/ticket`: the sign-in page for browsers that may have a ticket of Kerberos (RFC 4559). The page comes with the
/// question for a ticket; a browser that has one asks again and sends it, and others show the page.
struct TicketRoutes: Sendable {
    let database: any Database
    let surroundings: Surroundings
    let sessions: SessionReader
    let acceptor: TicketAcceptor
    let signIn: KerberosSignIn
    let pages: PageResponder
    let offers: AccountOffers
    /// The budget for tickets that do not count.
    let wrongTickets: FailureBudget

    static let path = "/sign-in/ticket"

    /// Where the browser is asked for a ticket.
    ///
    /// The address counts in this browser alone, so that no other site can have it asked. It is absolute, because a browser
    /// keeps a user name and a password that a link has put before the host where it follows a path, and would answer the
    /// question with a ticket of whoever has made the link.
    /// - Parameters:
    ///   - isChosen: whether the person has asked for it, and is told what came of it.
    ///   - baseURL: without a slash at the end.
    static func address(
        then target: String, isChosen: Bool = false, for visitor: Visitor, at baseURL: String
    ) -> String {
        "\(baseURL)\(path)?continue=\(FormEncoding.escape(target))\(isChosen ? "&chosen=true" : "")"
            + "&browser=\(visitor.ticketProof)"
    }

    func mount(on router: some RouterMethods<AppContext>) {
        router.get("sign-in/ticket", use: show)
    }

    /// A browser at the page.
    private struct Visit: Sendable {
        let request: Request
        let context: AppContext
        let visitor: Visitor
        let target: LocalPath
        let place: SignInPlace
    }

    @Sendable private func show(_ request: Request, context: AppContext) async throws -> Response {
        let visitor = pages.visitor(of: request)
        let query = try request.queryParameters()
        let target = LocalPath(try query["continue"])
        guard try await sessions.session(of: visitor) == nil else { return .seeOther(target.text) }
        let now = surroundings.now()
        let visit = Visit(
            request: request, context: context, visitor: visitor, target: target,
            place: try await SignInPlace.find(behind: target, visitor, at: now, in: database))
        guard visit.place.takesTickets, request.method == .get, request.isNavigation else {
            return page(nil, .ok, visit)
        }
        guard visitor.accepts(ticketProof: try query["browser"]) else {
            return page(.ticket(.elsewhere), .forbidden, visit)
        }
        guard let header = request.headers[.authorization] else {
            let isChosen = try query["chosen"] != nil
            var response = page(isChosen ? .ticket(.none) : nil, .unauthorized, visit)
            response.headers[.wwwAuthenticate] = Self.scheme
            return response
        }
        let parts = header.split(separator: " ", maxSplits: 1)
        guard parts.count == 2, parts[0].lowercased() == Self.scheme.lowercased() else {
            return refuse(.ntlm, "the header Authorization has another scheme", visit)
        }
        let address = AddressBlock(context.remoteAddress)
        do {
            try wrongTickets.take(address)
            let ticket = try await acceptor.accept(String(parts[1]))
            // A key of the server has opened it, so it is no guess, whatever becomes of it: a whole school can be behind the address.
            wrongTickets.giveBack(1, to: address)
            return try await enter(ticket, visit)
        } catch let exhausted as FailureBudget.Exhausted {
            return wait(exhausted.seconds(from: surroundings.now()), visit)
        } catch let refusal as TicketRefusal {
            // NTLM is no guess: every computer sends it that has no ticket for the server.
            if refusal.isOtherMethod { wrongTickets.giveBack(1, to: address) }
            return refuse(SignInPage.TicketProblem(refusal), "\(refusal)", visit)
        }
    }

    private static let scheme = "Negotiate"

    private func enter(_ ticket: AcceptedTicket, _ visit: Visit) async throws -> Response {
        let (visitor, target, now) = (visit.visitor, visit.target, surroundings.now())
        let outcome = try await signIn.signIn(
            by: KerberosSignIn.Ticket(
                name: ticket.principal.name, realm: ticket.principal.realm, issuer: ticket.issuer,
                use: ticket.use, endsAt: ticket.endsAt),
            userAgent: visit.request.headers[.userAgent], replacing: visitor.sessionToken,
            knownBrowser: visitor.knownBrowser, origin: .request(visit.context))
        var response: Response
        switch outcome {
        case .signedIn(let person, let entry):
            // Not noted for the request that waits: nobody has seen the name of its app yet.
            let isReminded = try await database.read { try FactorRule.dueDate(for: person, at: now, in: $0) } != nil
            response = pages.enter(entry, then: isReminded ? FactorRoutes.reminderPath(then: target.text) : target.text)
            if visitor.hasSignedOut { response.set(.signedOut, to: "", maxAge: 0, isSecure: pages.isSecure) }
        case .needsFactor(let pending): response = pages.askForFactor(pending, then: target.text)
        case .organizationClosed(let name): return page(.organizationClosed(name: name), .forbidden, visit)
        case .mustWait(let seconds): return wait(seconds, visit)
        case .refused(let refusal):
            return refuse(SignInPage.TicketProblem(refusal), "\(ticket.principal): \(refusal.rawValue)", visit)
        }
        pages.welcome(visitor, in: &response)
        response.headers[.cacheControl] = "no-store"
        if !ticket.reply.isEmpty {
            response.headers[.wwwAuthenticate] = "\(Self.scheme) \(ticket.reply.base64EncodedString())"
        }
        return response
    }

    /// The page, where passwords count as before.
    private func wait(_ seconds: Int, _ visit: Visit) -> Response {
        var response = page(.tooManyAttempts(minutes: (seconds + 59) / 60), .tooManyRequests, visit)
        response.headers[.retryAfter] = String(seconds)
        return response
    }

    /// The page with the reason. It does not ask for a ticket again, because the browser would send the same one.
    private func refuse(_ problem: SignInPage.TicketProblem, _ reason: String, _ visit: Visit) -> Response {
        visit.context.logger.notice("ticket refused", metadata: ["reason": "\(reason.prefix(300))"])
        return page(.ticket(problem), .forbidden, visit)
    }

    private func page(_ problem: SignInPage.Problem?, _ status: HTTPResponse.Status, _ visit: Visit) -> Response {
        pages.respond(
            with: offers.signInPage(
                for: visit.place, then: visit.target.text, problem: problem, to: visit.visitor), status: status,
            to: visit.request, visit.context, visitor: visit.visitor, leadsToApp: visit.place.leadsToApp,
            currentPath: visit.target.text)
    }
}

extension SignInPage.TicketProblem {
    fileprivate init(_ refusal: TicketRefusal) {
        self =
            switch refusal {
            case .ntlm, .needsAnotherMessage: .ntlm
            case .malformed, .tooLong, .refused: .notValid
            case .notAPerson: .unknownPerson
            }
    }

    fileprivate init(_ refusal: KerberosSignIn.Refusal) {
        self =
            switch refusal {
            case .unknownRealm: .unknownRealm
            case .unknownName, .ambiguousName: .unknownPerson
            case .deactivated: .deactivated
            case .used: .used
            case .otherIssuer: .unknownRealm
            case .needsPassword: .notEnough
            }
    }
}
