import Accounts
import Authorization
import Directory
import Fixtures
import Foundation
import Ground
import Mail
import Storage

/// Personal accounts over one database with a school beside them; mails are read from the queue.
struct AccountOffice: Sendable {
    let server: AuthorizationServer
    let accounts: PersonalAccounts
    let hasher: PasswordHasher

    static let password = "Corr3ct horse"
    static let address = "Nadia@Home.example"
    static let userName = "nadia@home.example"

    var database: any Database { server.database }
    var fixed: FixedSurroundings { server.fixed }

    init(on database: any Database) async throws {
        server = try await AuthorizationServer(database: database)
        let surroundings = server.fixed.surroundings
        hasher = PasswordHasher(cost: .low, surroundings: surroundings)
        accounts = PersonalAccounts(
            database: database, hasher: hasher,
            mailer: Mailer(sender: try Mailbox("Lanyard <id@lanyard.example>"), surroundings: surroundings),
            writing: { letter, language in ("\(language)", "\(letter)") }, surroundings: surroundings,
            relayDomain: "relay.lanyard.example")
    }

    func visit(
        from address: String? = "192.0.2.7", browser: String = "browser", session: Secret? = nil, known: Secret? = nil
    ) -> PersonalAccounts.Visit {
        PersonalAccounts.Visit(
            browser: browser, language: "en", userAgent: nil, sessionToken: session?.text, knownBrowser: known?.text,
            origin: .request("R-1", address: address))
    }

    func ask(
        givenName: String = "Nadia", familyName: String = "Silva", email: String = address,
        password: String = password, _ visit: PersonalAccounts.Visit? = nil
    ) async throws -> PersonalAccounts.Asking<PersonalAccounts.ApplicationProblem> {
        try await accounts.signUp(
            PersonalAccounts.Application(
                givenName: givenName, familyName: familyName, email: email, password: password, target: "/account"),
            visit ?? self.visit())
    }

    /// The challenge that a request began.
    func challenge<Problem>(
        _ asking: PersonalAccounts.Asking<Problem>, _ visit: PersonalAccounts.Visit? = nil
    ) async throws -> EmailChallenge {
        guard case .asked(let token) = asking,
            let challenge = try await accounts.challenge(token.text, visit ?? self.visit())
        else { throw Missing.challenge }
        return challenge
    }

    func enter(
        _ code: String, for challenge: EmailChallenge, _ visit: PersonalAccounts.Visit? = nil
    ) async throws -> PersonalAccounts.Entry {
        try await accounts.enter(code, for: challenge, visit ?? self.visit())
    }

    /// A whole sign-up.
    func signUp(email: String = address) async throws -> (person: Person, session: Secret) {
        let challenge = try await challenge(ask(email: email))
        guard case .signedUp(let entry, _) = try await enter(code(), for: challenge) else { throw Missing.account }
        let person = try await database.read { try Person.find(userName: email.lowercased(), in: $0) }
        guard let person else { throw Missing.account }
        return (person, entry.session)
    }

    func session(_ token: Secret) async throws -> BrowserSession? {
        let now = fixed.now
        return try await database.read { try BrowserSession.find(token: token.text, at: now, in: $0) }
    }

    func maySignIn(_ userName: String, password: String) async throws -> Bool {
        let signIn = PasswordSignIn(database: database, hasher: hasher, surroundings: fixed.surroundings)
        let outcome = try await signIn.signIn(userName: userName, password: password, origin: .system)
        if case .signedIn = outcome { return true }
        return false
    }

    /// The session of somebody who signs in with the password of ``signUp(email:)``.
    func signIn(password: String = AccountOffice.password) async throws -> Secret {
        let signIn = PasswordSignIn(database: database, hasher: hasher, surroundings: fixed.surroundings)
        let outcome = try await signIn.signIn(userName: Self.userName, password: password, origin: .system)
        guard case .signedIn(_, let entry) = outcome else { throw Missing.account }
        return entry.session
    }

    /// The mails of the queue, oldest first, as "recipient: letter".
    func mails() async throws -> [String] {
        try await database.read {
            try $0.all("SELECT recipient, body FROM mail_message ORDER BY id") {
                "\(try $0[0] as String): \(try $0[1] as String)"
            }
        }
    }

    /// The six digits of the last mail.
    func code() async throws -> String {
        guard let match = try await mails().last?.firstMatch(of: /"(\d{6})"/) else { throw Missing.code }
        return String(match.1)
    }

    /// Another code than the one of the last mail.
    func wrongCode() async throws -> String { try await code() == "111111" ? "222222" : "111111" }

    /// The audit trail of the server itself, as "action outcome detail".
    func audit() async throws -> [String] {
        try await database.read { transaction in
            try AuditRecord.page(of: .none, after: 0, limit: 10_000, in: transaction)
                .map { "\($0.action) \($0.outcome) \($0.detail)".trimmingCharacters(in: .whitespaces) }
        }
    }

    enum Missing: Error {
        case challenge, account, code
    }
}

extension PersonalAccounts.Entry {
    /// The case, for comparing.
    var name: String {
        switch self {
        case .signedUp: "signed up"
        case .mayChoosePassword: "may choose"
        case .emailChanged: "changed"
        case .wrong(let left): "wrong, \(left) left"
        case .sessionEnded: "session ended"
        case .expired: "expired"
        }
    }
}

extension PersonalAccounts.Asking {
    var name: String {
        switch self {
        case .asked: "asked"
        case .refused(let problems): "refused: " + problems.map { "\($0)" }.sorted().joined(separator: ", ")
        case .mustWait(let minutes): "wait \(minutes)"
        case .sessionEnded: "ended"
        }
    }
}
