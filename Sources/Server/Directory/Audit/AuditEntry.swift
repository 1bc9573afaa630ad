import Crypto
import Foundation
import Storage

/// Who did what, on whom, from where, with which outcome. Entries hold ids, never names, passwords or tokens.
package struct AuditEntry: Sendable {
    package enum Action: String, Sendable, SQLConvertible, CaseIterable {
        case signIn = "sign-in"
        case signOut = "sign-out"
        case accountPaused = "account.paused"
        case accountLocked = "account.locked"
        case accountUnlocked = "account.unlocked"
        case addressPaused = "address.paused"
        case passwordChanged = "password.changed"
        case passwordIssued = "password.issued"
        case passwordMailed = "password.mailed"
        case factorsChanged = "factors.changed"
        case factorsReset = "factors.reset"
        case organizationCreated = "organization.created"
        case organizationChanged = "organization.changed"
        case organizationClosed = "organization.closed"
        case organizationReopened = "organization.reopened"
        case organizationHandedOver = "organization.handed-over"
        case organizationErased = "organization.erased"
        case rolePrivilegesChanged = "role.privileges-changed"
        case locationCreated = "location.created"
        case locationChanged = "location.changed"
        case locationRemoved = "location.removed"
        case locationRestored = "location.restored"
        case personCreated = "person.created"
        case personChanged = "person.changed"
        case personExported = "person.exported"
        case personErased = "person.erased"
        case classCreated = "class.created"
        case classChanged = "class.changed"
        case classRemoved = "class.removed"
        case termChanged = "term.changed"
        case invitationIssued = "invitation.issued"
        case rosterImported = "roster.imported"
        case rosterImportUndone = "roster.import-undone"
        case rosterImportDiscarded = "roster.import-discarded"
        case idsMapped = "roster.ids-mapped"
        case idMapUndone = "roster.id-map-undone"
        case rosterExported = "roster.exported"
        case auditAnchored = "audit.anchored"
        case backupMade = "backup.made"
        case backupRestored = "backup.restored"
        case rosterRead = "roster.read"
        case accessRuleChanged = "access-rule.changed"
        case sharingChanged = "sharing.changed"
        case sharingHidden = "sharing.hidden"
        case sharingShown = "sharing.shown"
        case consentGranted = "consent.granted"
        case consentDenied = "consent.denied"
        case consentRevoked = "consent.revoked"
        case consentNarrowed = "consent.narrowed"
        case consentEnded = "consent.ended"
        case consentRenewed = "consent.renewed"
        case consentLimited = "consent.limited"
        case consentTermChanged = "consent.term-changed"
        case consentReminded = "consent.reminded"
        case appSignIn = "app.sign-in"
        case appSignInCancelled = "app.sign-in-cancelled"
        case signInConsentEnded = "app.sign-in-ended"
        case tokenIssued = "token.issued"
        case tokenRevoked = "token.revoked"
        case codeReplayed = "code.replayed"
        case refreshTokenReplayed = "refresh-token.replayed"
        case teamCreated = "team.created"
        case teamChanged = "team.changed"
        case teamRemoved = "team.removed"
        case appCreated = "app.created"
        case appChanged = "app.changed"
        case appRemoved = "app.removed"
        case appTransferred = "app.transferred"
        case appOffered = "app.offered"
        case notificationResent = "notification.resent"
        case keyCreated = "key.created"
        case signingKeyCreated = "signing-key.created"
        case signingKeyRetired = "signing-key.retired"
        case keyRevoked = "key.revoked"
        case accountDeleted = "account.deleted"
        case erasureAcknowledged = "erasure.acknowledged"
        case holdBegun = "legal-hold.begun"
        case holdEnded = "legal-hold.ended"
        case retentionChanged = "retention.changed"
        case retentionApplied = "retention.applied"
        case emailCodeSent = "email-code.sent"
        case emailCodeRefused = "email-code.refused"
        case emailForwardingChanged = "email-forwarding.changed"
        case deviceCodeIssued = "device-code.issued"
        case deviceRegistered = "device.registered"
        case deviceRemoved = "device.removed"
        case administrationRead = "administration.read"
        case apiClientCreated = "api-client.created"
        case apiClientRevoked = "api-client.revoked"
        case apiTokenIssued = "api-token.issued"
        case administrationRefused = "administration.refused"
    }

    package enum Outcome: String, Codable, Sendable, SQLConvertible, CaseIterable {
        case done
        case refused
    }

    let action: Action
    let actor: Actor
    let subject: String
    let outcome: Outcome
    let detail: String
    let origin: Origin
    /// What it is found by, besides what stands in its words.
    let mentions: [AuditMention]

    package init(
        _ action: Action, by actor: Actor, on subject: String, outcome: Outcome, detail: String = "",
        from origin: Origin, mentioning mentions: [AuditMention] = []
    ) {
        self.action = action
        self.actor = actor
        self.subject = subject
        self.outcome = outcome
        self.detail = detail
        self.origin = origin
        self.mentions = mentions
    }
}

/// Who acts.
package enum Actor: Sendable {
    case person(PersonID)
    /// A client, by its client id.
    case client(String)
    /// The person who runs the command line on the server.
    case `operator`
    /// The server itself.
    case system

    /// The actor as the audit trail writes it.
    package var text: String {
        switch self {
        case .person(let id): "person:\(id.rawValue)"
        case .client(let id): "client:\(id)"
        case .operator: "operator"
        case .system: "system"
        }
    }
}

/// Where an act came from: an address and the request's id, or the command line.
package struct Origin: Sendable {
    package let text: String
    /// The address that a request came from; nil for the command line and the server itself.
    package let addressBlock: AddressBlock?

    package static let commandLine = Origin(text: "command line", addressBlock: nil)
    package static let system = Origin(text: "system", addressBlock: nil)

    /// Restores a stored origin, for work that is done some time after it was requested.
    package init(stored text: String) { self.init(text: text, addressBlock: nil) }

    private init(text: String, addressBlock: AddressBlock?) {
        self.text = text
        self.addressBlock = addressBlock
    }

    /// Whether somebody waits for an answer over HTTP.
    package var isRequest: Bool { ![Self.commandLine.text, Self.system.text].contains(text) }

    package static func request(_ id: String, address: String?) -> Origin {
        Origin(text: address.map { "\($0) \(id)" } ?? id, addressBlock: AddressBlock(address))
    }
}

extension AuditEntry {
    /// Appends the entry to the hash chain of an organization, or of the server if it is nil: each entry has a hash of
    /// its words and of the hash before it, so that changing or removing one breaks all that follow. Call it in the
    /// transaction of the act that the entry describes.
    package func append(to organization: OrganizationID?, at now: Date, in transaction: WriteTransaction) throws {
        let chain = organization ?? .none
        let last = try transaction.first(
            "SELECT sequence, hash FROM audit_entry WHERE organization_id = $1 ORDER BY sequence DESC LIMIT 1", [chain]
        ) { (sequence: try $0["sequence"] as Int, hash: try $0["hash"] as [UInt8]) }
        let record = AuditRecord(
            sequence: (last?.sequence ?? 0) + 1, at: now, actor: actor.text, action: action.rawValue, subject: subject,
            outcome: outcome.rawValue, detail: detail, origin: origin.text)
        try transaction.execute(
            """
            INSERT INTO audit_entry
                (organization_id, sequence, at, actor, action, subject, outcome, detail, origin, hash)
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
            """,
            [
                chain, record.sequence, record.at, record.actor, record.action, record.subject, record.outcome,
                record.detail, record.origin, record.hash(after: last?.hash ?? []),
            ])
        var found = AuditMention.all(in: record).union(mentions)
        found.formUnion(try AuditMention.places(of: found, in: transaction))
        try AuditMention.insert(found, of: record, in: chain, transaction)
    }
}
