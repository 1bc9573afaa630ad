import Administration
import Authorization
import Directory
import Foundation
import NIOHTTP1
import Storage
import TestSupport
import Testing

@testable import ServerHTTP
@testable import TestServers

/// Why an app gets something about a person, or nothing, over the API.
@Suite struct WhyAPITests {
    @Test(
        "each reason has its sentences, and what they say would change it does change it",
        arguments: AccessVerdict.Reason.allCases)
    func reason(_ reason: AccessVerdict.Reason) async throws {
        try await APIUser.with { user in
            let question = WhyQuestion(user: user)
            switch reason {
            case .notSignedInYet: try await question.notSignedInYet()
            case .consented: try await question.consented()
            case .notListedForSignIn: try await question.notListedForSignIn()
            case .notConnected: try await question.notConnected()
            case .connected: try await question.connected()
            case .inNoClass: try await question.inNoClass()
            case .leftOut: try await question.leftOut()
            case .notShared: try await question.notShared()
            case .notListedForDataSharing: try await question.notListedForDataSharing()
            case .accountDeactivated: try await question.accountDeactivated()
            case .appRemoved: try await question.appRemoved()
            case .organizationClosed: try await question.organizationClosed()
            case .personalAccount: try await question.personalAccount()
            case .organizationIsNoSchool: try await question.organizationIsNoSchool()
            }
        }
    }

    @Test("whoever may not see the person, and whoever asks about nothing, learns nothing")
    func refusals() async throws {
        try await APIUser.with { user in
            let path = "people/PE-\(user.server.maple.nadia.id.rawValue)/why"
            let auditor = try await user.another(name: "Auditor", [.readAudit])
            #expect(try await auditor.send(.GET, "\(path)?app=Quizzler").status == 403)
            let missing = try await user.send(.GET, path)
            #expect(missing.status == 422 && missing.json["field"] as? String == "app", "\(missing.line)")
            let unknown = try await user.send(.GET, "\(path)?app=Chess")
            #expect(unknown.status == 404 && unknown.json["subjectKind"] as? String == "app", "\(unknown.line)")
            let stranger = "people/PE-\(user.server.scene.birch.nadia.id.rawValue)/why?app=Quizzler"
            #expect(try await user.send(.GET, stranger).status == 404)
        }
    }
}

/// The question what Quizzler gets about Nadia, and what leads from each answer to another.
private struct WhyQuestion: Sendable {
    let user: APIUser

    var server: TestServer { user.server }
    var nadia: Person { server.maple.nadia }
    var maple: OrganizationReference { .named(server.maple.organization.publicID) }

    var `operator`: Administrator {
        Administrator(
            .operator, from: .commandLine, database: server.database, services: APIUser.services(of: server))
    }

    enum Way: String {
        case signIn, roster
    }

    /// Checks the whole verdict.
    func expect(
        _ way: Way, _ reason: AccessVerdict.Reason, isAllowed: Bool = false, _ explanation: String, remedy: String,
        about person: Person? = nil, app: String = "Quizzler"
    ) async throws {
        let verdict = try await ask(way, about: person, app: app)
        #expect(verdict["reason"] as? String == reason.rawValue)
        #expect(verdict["isAllowed"] as? Bool == isAllowed)
        #expect(verdict["explanation"] as? String == explanation)
        #expect(verdict["remedy"] as? String == remedy)
        #expect((verdict["fields"] as? [String])?.isEmpty == !isAllowed)
        let isOfRule = [.notListedForSignIn, .notListedForDataSharing].contains(reason)
        #expect((verdict["ruleVersion"] is Int) == isOfRule)
    }

    /// Checks that the verdict is another one now.
    func expect(
        _ way: Way, turnsTo reason: AccessVerdict.Reason, about person: Person? = nil, app: String = "Quizzler"
    ) async throws {
        #expect(try await ask(way, about: person, app: app)["reason"] as? String == reason.rawValue)
    }

    private func ask(_ way: Way, about person: Person?, app: String) async throws -> [String: Any] {
        let answer = try await user.send(.GET, "people/PE-\((person ?? nadia).id.rawValue)/why?app=\(app)")
        #expect(answer.status == 200, "\(answer.line)")
        #expect(answer.json["person"] as? String == (person ?? nadia).fullName)
        return answer.json[way.rawValue] as? [String: Any] ?? [:]
    }

    func carryOut(_ method: HTTPMethod, _ path: String, json: String? = nil) async throws {
        let answer = try await user.send(method, path, json: json)
        #expect(answer.status == 200, "\(answer.line)")
    }
}

extension WhyQuestion {
    // MARK: Signing in

    func notSignedInYet() async throws {
        try await expect(
            .signIn, .notSignedInYet, isAllowed: true,
            "Nadia Okoye may sign in to Quizzler, and shares nothing by that at present.",
            remedy: "Nadia Okoye signs in to Quizzler, which is told this at most. "
                + "Or take Quizzler off the list of apps for signing in, so that nobody can.")
        _ = try await server.tokens(as: nadia)
        try await expect(.signIn, turnsTo: .consented)
    }

    func consented() async throws {
        try await carryOut(.POST, "access/sign-in/mode", json: #"{"mode": "allow_only_listed_apps"}"#)
        try await carryOut(.POST, "access/sign-in/apps", json: #"{"app": "Quizzler"}"#)
        func signIn() async throws {
            _ = try await server.tokens(as: nadia)
            try await expect(
                .signIn, .consented, isAllowed: true,
                "Nadia Okoye has signed in to Quizzler and has allowed what it is told.",
                remedy: "Nadia Okoye disconnects Quizzler on the account page. "
                    + "Or take Quizzler off the list of apps for signing in.")
        }
        try await signIn()
        try await server.stopUsing(nadia)
        try await expect(.signIn, turnsTo: .notSignedInYet)
        try await signIn()
        try await carryOut(.DELETE, "access/sign-in/apps/Quizzler")
        try await expect(.signIn, turnsTo: .notListedForSignIn)
    }

    func notListedForSignIn() async throws {
        try await carryOut(.POST, "access/sign-in/mode", json: #"{"mode": "allow_only_listed_apps"}"#)
        // An app to which nobody may sign in reads nothing either.
        for way in [Way.signIn, .roster] {
            try await expect(
                way, .notListedForSignIn,
                "Maple District lets its people sign in to listed apps only, and Quizzler is not listed.",
                remedy: "Put Quizzler on the list of apps for signing in.")
        }
        try await carryOut(.POST, "access/sign-in/apps", json: #"{"app": "Quizzler"}"#)
        try await expect(.signIn, turnsTo: .notSignedInYet)
        try await expect(.roster, turnsTo: .notConnected)
    }

    func accountDeactivated() async throws {
        _ = try await server.connect()
        try await carryOut(.POST, "people/PE-\(nadia.id.rawValue)/deactivate")
        try await expect(
            .signIn, .accountDeactivated,
            "The account of Nadia Okoye is deactivated, so that nobody can sign in with it.",
            remedy: "Reactivate the account.")
        try await expect(
            .roster, .accountDeactivated,
            "The account of Nadia Okoye is deactivated, and apps do not see such accounts.",
            remedy: "Reactivate the account.")
        try await carryOut(.POST, "people/PE-\(nadia.id.rawValue)/reactivate")
        try await expect(.signIn, turnsTo: .notSignedInYet)
        try await expect(.roster, turnsTo: .connected)
    }

    func appRemoved() async throws {
        let app = AppReference(server.quizzler.app.id)
        let version = try await self.operator.preview(RemoveApp(app: app)).version
        _ = try await self.operator.perform(RemoveApp(app: app), ifVersion: version)
        for way in [Way.signIn, .roster] {
            try await expect(
                way, .appRemoved, "Quizzler was removed from this server.",
                remedy: "The operator of this server registers the app anew.",
                app: "app:\(server.quizzler.app.id.rawValue)")
        }
        _ = try await self.operator.perform(
            CreateApp(
                team: TeamReference("Quizzler Inc."), name: "Quizzler", clientIDs: ["com.quizzler.anew"],
                scopes: [.name], returnURLs: ["https://quizzler.example/anew"]))
        try await expect(.signIn, turnsTo: .notSignedInYet, app: "com.quizzler.anew")
    }

    /// Nobody of a closed organization is let in, so that only the operator can ask.
    func organizationClosed() async throws {
        let version = try await self.operator.preview(CloseOrganization(), in: maple).version
        _ = try await self.operator.perform(CloseOrganization(), in: maple, ifVersion: version)
        #expect(try await user.send(.GET, "people/PE-\(nadia.id.rawValue)/why?app=Quizzler").status == 401)
        let question = ExplainAccess(person: PersonReference(nadia.id), app: AppReference("Quizzler"))
        let verdict = try await self.operator.ask(question, in: maple).signIn
        #expect(verdict.reason == .organizationClosed && !verdict.isAllowed)
        #expect(verdict.explanation == "Maple District is closed, so that nobody of it can sign in.")
        #expect(verdict.remedy == "The operator of this server opens Maple District again.")
        _ = try await self.operator.perform(ReopenOrganization(), in: maple)
        #expect(try await self.operator.ask(question, in: maple).signIn.reason == .notSignedInYet)
    }

    // MARK: The roster

    func notConnected() async throws {
        try await expect(
            .roster, .notConnected,
            "Nobody has allowed Quizzler to read the people and classes of Maple District.",
            remedy: "An Administrator signs in to Quizzler and connects it with Maple District.")
        _ = try await server.connect(as: server.maple.administrator)
        try await expect(.roster, turnsTo: .connected)
    }

    private static let leaving =
        "Leave Nadia Okoye out of what Quizzler sees. Or revoke the consent of Maple District, which is about all people."

    func connected() async throws {
        _ = try await server.connect()
        try await expect(
            .roster, .connected, isAllowed: true, "Maple District has connected Quizzler, which reads people.",
            remedy: Self.leaving)
        try await leaveOut()
        try await expect(.roster, turnsTo: .leftOut)
        try await putBack()
        try await carryOut(.DELETE, "apps/Quizzler/consent")
        try await expect(.roster, turnsTo: .notConnected)
        // Only ids of members are told where classes alone are read.
        _ = try await server.connect(scope: "edu.classes.read")
        try await expect(
            .roster, .connected, isAllowed: true,
            "Maple District has connected Quizzler, which reads classes with ids of their members.",
            remedy: Self.leaving)
    }

    func inNoClass() async throws {
        _ = try await server.connect(scope: "edu.classes.read")
        let paula = server.maple.peopleManager
        try await expect(
            .roster, .inNoClass, "Maple District lets Quizzler read classes only, and Paula People is in none.",
            remedy: "Put Paula People into a class that Quizzler reads.", about: paula)
        try await carryOut(
            .POST, "classes/CL-\(server.maple.science.rawValue)", json: #"{"addStudents": ["\#(paula.userName)"]}"#)
        try await expect(.roster, turnsTo: .connected, about: paula)
    }

    func leftOut() async throws {
        _ = try await server.connect()
        try await leaveOut()
        try await expect(
            .roster, .leftOut, "Maple District has left Nadia Okoye out of what Quizzler sees.",
            remedy: "Put Nadia Okoye back.")
        try await putBack()
        try await expect(.roster, turnsTo: .connected)
    }

    func notShared() async throws {
        _ = try await server.connect()
        try await carryOut(.POST, "apps/Quizzler/sharing", json: #"{"roles": ["Instructor"]}"#)
        try await expect(
            .roster, .notShared,
            "Maple District shares only some places, grades, roles or classes with Quizzler, and Nadia Okoye is in none "
                + "of them.",
            remedy: "Share a place, grade, role or class of Nadia Okoye with Quizzler.")
        try await carryOut(.POST, "apps/Quizzler/sharing", json: #"{"roles": ["Instructor", "Student"]}"#)
        try await expect(.roster, turnsTo: .connected)
    }

    func notListedForDataSharing() async throws {
        _ = try await server.connect()
        try await carryOut(.DELETE, "access/data-sharing/apps/Quizzler")
        try await expect(
            .roster, .notListedForDataSharing,
            "Maple District lets only listed apps read its people and classes, and Quizzler is not listed.",
            remedy: "Put Quizzler on the list of apps for data sharing.")
        try await carryOut(.POST, "access/data-sharing/apps", json: #"{"app": "Quizzler"}"#)
        try await expect(.roster, turnsTo: .connected)
    }

    /// Nothing would change it.
    func organizationIsNoSchool() async throws {
        try await server.database.write {
            try $0.execute("UPDATE organization SET kind = 'business' WHERE name = 'Maple District'")
        }
        try await expect(
            .roster, .organizationIsNoSchool, "Maple District is a business, and only schools share rosters.",
            remedy: "Nothing: a business has no roster to share.")
    }

    /// Nothing would change it. No organization finds a personal account, so that only the operator can ask.
    func personalAccount() async throws {
        let maria = try await server.addPersonal()
        #expect(try await user.send(.GET, "people/PE-\(maria.id.rawValue)/why?app=Quizzler").status == 404)
        let answer = try await self.operator.ask(
            ExplainAccess(person: PersonReference(maria.id), app: AppReference("Quizzler")))
        #expect(answer.signIn.reason == .notSignedInYet && answer.organization == nil)
        #expect(answer.roster.reason == .personalAccount && !answer.roster.isAllowed)
        #expect(
            answer.roster.explanation == "Maria Ruiz has a personal account, which is in no organization's roster.")
        #expect(answer.roster.remedy == "Nothing: personal accounts are never in a roster.")
    }

    private func leaveOut() async throws {
        try await carryOut(
            .POST, "apps/Quizzler/sharing/leave-out", json: #"{"people": ["PE-\#(nadia.id.rawValue)"]}"#)
    }

    private func putBack() async throws {
        try await carryOut(
            .POST, "apps/Quizzler/sharing/put-back", json: #"{"people": ["PE-\#(nadia.id.rawValue)"]}"#)
    }
}
