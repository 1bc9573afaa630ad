import Authorization
import CommandOutput
import Directory
import Foundation
import Storage

/// What commands print of a consent.
struct ConsentReport: Encodable, Sendable {
    let number: Int64
    let app: String
    let clientID: String
    let scopes: [String]
    /// User name.
    let grantedBy: String
    /// The consent is the organization's, and goes on all the same.
    let isGiverDeactivated: Bool
    let grantedAt: Date
    /// User name; absent though revoked when it was the operator, or the app was removed.
    let revokedBy: String?
    let revokedAt: Date?
    /// Why the app cannot read though the consent lives; absent when it can.
    let refusal: String?

    init(_ consent: Consent, of organization: Organization, in transaction: some Transaction) throws {
        let consent = try Consent.find(consent.id, in: transaction) ?? consent  // as it stands after a change
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
