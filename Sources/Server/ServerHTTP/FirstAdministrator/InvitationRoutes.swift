import Authorization
import Directory
import Foundation
import Ground
import HTTPTypes
import Hummingbird
import ServerPages
import Storage

/// `/invitation/…`: the one-time link with which the first administrator makes their account.
package struct InvitationRoutes: Sendable {
    let database: any Database
    let surroundings: Surroundings
    let acceptance: InvitationAcceptance
    let pages: PageResponder

    package static func path(of secret: String) -> String { "/invitation/\(secret)" }

    func mount(on router: some RouterMethods<AppContext>) {
        router.get("invitation/{secret}", use: show)
        router.post("invitation/{secret}", use: accept)
    }

    private typealias Input = InvitationAcceptance.Newcomer

    @Sendable private func show(_ request: Request, context: AppContext) async throws -> Response {
        let (secret, organization) = try await invitation(context)
        return page(Input(), [], secret, organization, request, context, pages.visitor(of: request))
    }

    @Sendable private func accept(_ request: Request, context: AppContext) async throws -> Response {
        let visitor = pages.visitor(of: request)
        let form = try await request.formParameters(context)
        try visitor.check(form)
        let (secret, organization) = try await invitation(context)
        let input = Input(
            givenName: try form["given_name"] ?? "", familyName: try form["family_name"] ?? "",
            userName: try form["username"] ?? "", password: try form["password"] ?? "")
        var problems = check(input, organization)
        guard problems.isEmpty else { return page(input, problems, secret, organization, request, context, visitor) }
        do {
            let entry = try await acceptance.accept(
                secret, of: input, userAgent: request.headers[.userAgent], replacing: visitor.sessionToken,
                knownBrowser: visitor.knownBrowser, origin: .request(context))
            guard let entry else { throw PageError.linkUsed }
            return pages.enter(entry, then: NextStepsRoutes.path)
        } catch DirectoryError.userNameTaken, DirectoryError.domainTaken {
            problems = [.userNameTaken]
            return page(input, problems, secret, organization, request, context, visitor)
        }
    }

    private func check(_ input: Input, _ organization: Organization) -> Set<FirstAdministratorPage.Problem> {
        var problems: Set<FirstAdministratorPage.Problem> = []
        func isFine(_ text: String, _ rule: FieldRule) -> Bool { (try? rule.check(text, field: "")) != nil }
        if !isFine(input.givenName, .name) { problems.insert(.givenNameMissing) }
        if !isFine(input.familyName, .name) { problems.insert(.familyNameMissing) }
        if input.userName.isEmpty {
            problems.insert(.userNameMissing)
        } else if !isFine(input.userName, .userName) {
            problems.insert(.userNameNotAllowed)
        }
        let owner = PasswordOwner(
            givenName: input.givenName, familyName: input.familyName, userName: input.userName,
            organization: organization.name)
        if let problem = PasswordPolicy.standard.problem(with: input.password, of: owner) {
            problems.insert(.password(PasswordAdvice(problem)))
        }
        return problems
    }

    /// The token in the address, and the organization that it invites to.
    private func invitation(_ context: AppContext) async throws -> (String, Organization) {
        guard let secret = context.parameters.get("secret") else { throw PageError.notFound }
        let now = surroundings.now()
        let found = try await database.read { transaction in
            try Invitation.find(secret, at: now, in: transaction).flatMap {
                try Organization.find($0.organizationID, in: transaction)
            }
        }
        guard let organization = found else { throw PageError.linkUsed }
        return (secret, organization)
    }

    private func page(
        _ input: Input, _ problems: Set<FirstAdministratorPage.Problem>, _ secret: String, _ organization: Organization,
        _ request: Request, _ context: AppContext, _ visitor: Visitor
    ) -> Response {
        pages.respond(
            with: FirstAdministratorPage(
                form: Form(action: Self.path(of: secret)),
                organization: Badge(organization), givenName: input.givenName,
                familyName: input.familyName, userName: input.userName, problems: problems),
            status: problems.isEmpty ? .ok : .unprocessableContent, to: request, context, visitor: visitor,
            openerPolicy: .isolated)
    }
}
