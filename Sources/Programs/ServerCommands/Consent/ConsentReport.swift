import Authorization
import CommandOutput
import Directory
import Foundation
import Storage

/// The output of commands about a consent.
struct ConsentReport: Encodable, Sendable {
    let number: Int64
    let app: String
    let clientID: String
    let scopes: [String]
    /// The user name of the person who gave it.
    let grantedBy: String
    /// Whether that person is deactivated. The consent stays in force, because it is the organization's.
    let isGiverDeactivated: Bool
    let grantedAt: Date
    /// The user name of the person who revoked it; nil if the operator did, or the app was removed.
    let revokedBy: String?
    let revokedAt: Date?
    /// Why the app cannot read although the consent is in force; nil if it can.
    let refusal: String?

    init(_ consent: Consent, of organization: Organization, in transaction: some Transaction) throws {
        let consent = try Consent.find(consent.id, in: transaction) ?? consent  // current state after a change
        let app = try App.find(consent.appID, in: transaction)
        number = consent.id.rawValue
        self.app = app?.name ?? ""
        clientID = try App.clientIDs(of: consent.appID, in: transaction).first ?? ""
        scopes = consent.scopes.words
        let giver = try Person.find(consent.grantedBy, in: transaction)
        grantedBy = giver?.userName ?? ""
        isGiverDeactivated = giver?.state == .deactivated
        grantedAt = consent.grantedAt
        revokedBy = try consent.revokedBy.flatMap { try Person.find($0, in: transaction)?.userName }
        revokedAt = consent.revokedAt
        if consent.revokedAt == nil, let app,
            case .refused(let reason) = try DataSharingAccess.decide(
                app: app, organization: organization, in: transaction)
        {
            refusal = reason.text
        } else {
            refusal = nil
        }
    }

    static let head = ["APP", "CLIENT ID", "ALLOWED (UTC)", "BY", "STATE", "SCOPES"]

    var row: [String] {
        [app, clientID, grantedAt.minuteText, giver, state, scopes.joined(separator: " ")]
    }

    private var giver: String { isGiverDeactivated ? "\(grantedBy) (deactivated)" : grantedBy }

    private var state: String {
        if let revokedAt { return "revoked \(revokedAt.minuteText) by \(revokedBy ?? "the operator")" }
        return refusal == nil ? "alive" : "alive, but refused"
    }
}
