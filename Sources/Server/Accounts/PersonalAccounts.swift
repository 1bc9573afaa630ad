import Directory
import Foundation
import Ground
import Mail
import Storage

/// What people do with accounts of their own: make one, get back into it, change and delete it.
///
/// Nothing here tells a stranger whether an address has an account. A request is answered the same either way, takes the
/// same hashes and one commit, and what differs stands in a mail to the address.
package struct PersonalAccounts: Sendable {
    let database: any Database
    let hasher: PasswordHasher
    let mailer: Mailer
    let writing: AccountLetter.Writing
    let surroundings: Surroundings
    /// Addresses in it are forwarded to somebody: an account's own address is none of them. Nil without a relay.
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

    /// From where something is asked, and how to answer.
    package struct Visit: Sendable {
        /// The secret in the cookie of the browser.
        let browser: String
        /// A tag such as `ja`, for mails.
        let language: String
        let userAgent: String?
        /// The session that the browser had; it ends when a new one begins.
        let sessionToken: String?
        /// The secret of ``KnownBrowser`` that the browser had.
        let knownBrowser: String?
        let origin: Origin

        /// Who waits for a hash.
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

    /// What became of a request for a code.
    package enum Asking<Problem: Hashable & Sendable>: Sendable {
        /// The page of the challenge has this token in its address.
        case asked(token: Secret)
        case refused(Set<Problem>)
        /// Too many codes were asked for. `minutes` is 1 or more.
        case mustWait(minutes: Int)
        /// Who asked is not signed in any more.
        case sessionEnded
    }

    /// An address as it is stored and as mail is sent to it.
    /// - Returns: nil if it is none that an account can have.
    func mailAddress(_ text: String) -> MailAddress? {
        guard let address = try? MailAddress(text.trimmingCharacters(in: .whitespacesAndNewlines)),
            (try? FieldRule.userName.check(address.folded, field: "")) != nil, address.domain != relayDomain
        else { return nil }
        return address
    }

    /// Whether an organization has verified the domain: it alone gives addresses in it to people.
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

    /// A new session of a person who has just shown who they are.
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
    /// Whether there are requests for codes whose time is over, with what was typed into them.
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
