import Directory
import Foundation
import Ground
import Mail
import Storage

/// What people do with personal accounts: make one, regain access to it, change and delete it.
///
/// Nothing here tells a stranger whether an address has an account. Either way a request gets the same answer and takes
/// the same number of hashes and commits; only the mail to the address differs.
package struct PersonalAccounts: Sendable {
    let database: any Database
    let hasher: PasswordHasher
    let mailer: Mailer
    let writing: AccountLetter.Writing
    let surroundings: Surroundings
    /// The domain of the mail relay. An account cannot have an address in it, because such addresses forward to other
    /// accounts. Nil without a relay.
    let relayDomain: String?

    package init(
        database: any Database, hasher: PasswordHasher, mailer: Mailer, writing: @escaping AccountLetter.Writing,
        surroundings: Surroundings, relayDomain: String?
    ) {
        self.database = database
        self.hasher = hasher
        self.mailer = mailer
        self.writing = writing
        self.surroundings = surroundings
        self.relayDomain = relayDomain
    }

    /// Where a request comes from, and how to answer it.
    package struct Visit: Sendable {
        /// The secret in the cookie of the browser.
        let browser: String
        /// The language of mails, a tag such as `ja`.
        let language: String
        let userAgent: String?
        /// The session that the browser had; it ends when a new one begins.
        let sessionToken: String?
        /// The secret of ``KnownBrowser`` that the browser had.
        let knownBrowser: String?
        let origin: Origin

        /// In whose name a hash is queued.
        var requester: HashRequester { origin.addressBlock.map(HashRequester.address) ?? .server }

        package init(
            browser: String, language: String, userAgent: String?, sessionToken: String?, knownBrowser: String?,
            origin: Origin
        ) {
            self.browser = browser
            self.language = language
            self.userAgent = userAgent
            self.sessionToken = sessionToken
            self.knownBrowser = knownBrowser
            self.origin = origin
        }
    }

    /// The result of a request for a code.
    package enum Asking<Problem: Hashable & Sendable>: Sendable {
        /// The challenge was made; its page has this token in its address.
        case asked(token: Secret)
        case refused(Set<Problem>)
        /// Too many codes were requested. `minutes` is 1 or more.
        case mustWait(minutes: Int)
        /// The person is not signed in any more.
        case sessionEnded
    }

    /// An address in the form in which it is stored and mail is sent to it.
    /// - Returns: nil if it is not an address that an account can have.
    func mailAddress(_ text: String) -> MailAddress? {
        guard let address = try? MailAddress(text.trimmingCharacters(in: .whitespacesAndNewlines)),
            (try? FieldRule.userName.check(address.folded, field: "")) != nil, address.domain != relayDomain
        else { return nil }
        return address
    }

    /// Whether an organization has verified the domain. Only that organization gives addresses in it to people.
    func belongsToOrganization(_ address: MailAddress, in transaction: some Transaction) throws -> Bool {
        do {
            try Domain.check(address.folded, for: nil, in: transaction)
            return false
        } catch DirectoryError.domainTaken {
            return true
        }
    }

    func send(
        _ letter: AccountLetter, to address: MailAddress, _ language: String, expiresAt: Date? = nil,
        in transaction: WriteTransaction
    ) throws {
        let (subject, text) = writing(letter, language)
        try mailer.enqueue(
            try MailMessage(to: address, subject: subject, text: text, language: language), expiresAt: expiresAt,
            in: transaction)
    }

    /// Begins a session for a person who has just proved who they are.
    func enter(_ person: PersonID, _ visit: Visit, at now: Date, in transaction: WriteTransaction) throws
        -> BrowserEntry
    {
        try BrowserEntry.begin(
            for: person, userAgent: visit.userAgent, replacing: visit.sessionToken, browser: visit.knownBrowser,
            at: now,
            from: surroundings, in: transaction)
    }

    func note(
        _ action: AuditEntry.Action, on person: PersonID, outcome: AuditEntry.Outcome = .done, detail: String = "",
        from origin: Origin, at now: Date, in transaction: WriteTransaction
    ) throws {
        try AuditEntry(
            action, by: .person(person), on: "person:\(person.rawValue)", outcome: outcome, detail: detail, from: origin
        ).append(to: nil, at: now, in: transaction)
    }
}

extension PersonalAccounts {
    /// Whether there are expired requests for codes, which still hold what was typed.
    package static func hasOldRequests(at now: Date, in transaction: some Transaction) throws -> Bool {
        try EmailChallenge.hasOld(at: now, in: transaction) || CodeAllowance.hasOld(at: now, in: transaction)
    }

    package static func deleteOldRequests(at now: Date, in transaction: WriteTransaction) throws {
        try EmailChallenge.deleteOld(at: now, in: transaction)
        try CodeAllowance.deleteOld(at: now, in: transaction)
    }

    /// Whole minutes from now, at least one.
    static func minutes(from now: Date, until end: Date) -> Int {
        max(1, Int((end.timeIntervalSince(now) / 60).rounded(.up)))
    }
}
