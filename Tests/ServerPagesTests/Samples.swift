import Foundation
import ServerPages

/// Every page, in every variant that its template or its sentences tell apart.
enum Samples {
    static let visit = Visit(
        currentPath: "/auth/oauth2/v2/authorize?client_id=a&state=b", csrfToken: "csrf-token-value"
    )
    static let form = Form(action: "/consent", hiddenFields: [HiddenField(name: "request", value: "r-1")])
    static let organization = Badge(name: "Maple District", id: "organization-1")

    static func app(named name: String = "Quizzler") -> RequestingApp {
        RequestingApp(name: AppName(name), clientID: "example.quizzler", teamName: "Bright Lamp Learning")
    }

    static func person(named name: String = "Ana Ruiz", role: AccountRole = .administrator) -> SignedInPerson {
        SignedInPerson(name: name, userName: "ana.ruiz", role: role, id: "person-1")
    }

    static func consent(
        app: RequestingApp = app(),
        organization: Badge = organization,
        person: SignedInPerson = person(),
        scopes: [ConsentPage.Scope] = [.init(.users, count: 2104), .init(.classes, count: 312)],
        existing: [ConsentScope]? = nil,
        formerLastDay: Date? = nil,
        lastDay: Date? = nil
    ) -> ConsentPage {
        ConsentPage(
            app: app, subject: .organization(organization), person: person, scopes: scopes,
            existingScopes: existing ?? formerLastDay.map { _ in scopes.map(\.scope) }, formerLastDay: formerLastDay,
            lastDay: lastDay, returnHost: "quizzler.example", decision: form, switchAccount: form
        )
    }

    static var testSchoolConsent: ConsentPage {
        ConsentPage(
            app: app(), subject: .testSchool, person: person(role: .developer), scopes: [.init(.test, count: 0)],
            existingScopes: nil, returnHost: "quizzler.example", decision: form, switchAccount: form
        )
    }

    static let contacts = [
        Contact(name: "Ana Ruiz", email: "ana.ruiz@maple.example", role: .administrator),
        Contact(name: "Priya Raman", email: nil, role: .siteManager),
    ]

    static func notAllowed(
        role: AccountRole = .instructor, account: AccountKind = managed, contacts: [Contact] = contacts,
        places: [String] = []
    ) -> ConsentNotAllowedPage {
        ConsentNotAllowedPage(
            app: app(), person: person(role: role), account: account, requirement: .administrator(contacts: contacts),
            linkToSend: "https://quizzler.example", switchAccount: form, cancel: form, places: places
        )
    }

    static var all: [any Page] {
        var pages: [any Page] = [
            consent(),
            consent(scopes: [.init(.users, count: 1)], existing: [.classes]),
            consent(scopes: [.init(.classes, count: 1)], existing: [.classes]),
            testSchoolConsent,
            ConsentNotAllowedPage(
                app: app(), person: person(), account: managed, requirement: .developer, linkToSend: nil,
                switchAccount: form,
                cancel: form
            ),
            notAllowed(role: .personal, account: .personal, contacts: []),
            notAllowed(role: .siteManager, places: ["Maple High", "Annex"]),
            FirstAdministratorPage(form: form, organization: organization),
            SignedOutPage(signInPath: "/sign-in"),
            FormPostPage(appName: "Quizzler", response: Form(action: "https://quizzler.example/callback")),
            WebMessagePage(appName: "Quizzler", targetOrigin: "https://quizzler.example", message: "the answer"),
        ]
        pages += FirstAdministratorPage.Problem.all.map {
            FirstAdministratorPage(form: form, organization: organization, problems: [$0])
        }
        pages += AccountRole.allCases.map { notAllowed(role: $0) }
        pages += NotSharedPage.Reason.allCases.map {
            NotSharedPage(app: app(), organization: organization, reason: $0, back: form)
        }
        pages += ErrorPage.Cause.allCases.map { ErrorPage($0, requestID: "01JD8Y2K6M4Q") }
        pages += ErrorPage.WayOn.Label.allCases.map {
            ErrorPage(.expired, requestID: "01JD8Y2K6M4Q", developerNote: "A note.", wayOn: .init($0, path: "/"))
        }
        return pages + signIn + signUp + welcome + device + account + factors
    }
}

extension Pages {
    /// The page as the sample visit sees it, without the places where addresses may break.
    func render(_ page: some Page, in language: Language = .english) -> String {
        render(page, in: language, for: Samples.visit).replacingOccurrences(of: "<wbr>", with: "")
    }
}

extension String {
    /// Number of places where the text occurs.
    func count(of text: String) -> Int { ranges(of: text).count }
}
