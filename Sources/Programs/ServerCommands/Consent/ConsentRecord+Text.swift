import Administration
import CommandOutput
import Directory

extension ConsentRecord {
    static let head = ["APP", "CLIENT ID", "ALLOWED (UTC)", "BY", "STATE", "LAST DAY", "SCOPES"]

    var row: [String] {
        [
            app, clientID, grantedAt.minuteText, giver, state, lastDay?.text ?? "–", scopes.joined(separator: " "),
        ]
    }

    var text: String {
        Table.fields([
            ("App", "\(app) (\(clientID))"), ("State", state), ("Allowed", "\(grantedAt.minuteText) UTC by \(giver)"),
            ("Last day", lastDay.map { $0.text + (isAnnounced ? ", renewal was asked for by mail" : "") } ?? "none"),
            ("Scopes", scopes.joined(separator: " ")), ("Refused", refusal),
        ])
    }

    private var giver: String {
        let name = grantedBy ?? "somebody"
        return isGiverDeactivated ? "\(name) (deactivated)" : name
    }

    private var state: String {
        guard let revokedAt else { return refusal == nil ? "alive" : "alive, but refused" }
        return hasRunOut
            ? "ended \(revokedAt.minuteText)" : "revoked \(revokedAt.minuteText) by \(revokedBy ?? "the operator")"
    }
}

extension String {
    /// How long consents last, as the end of a sentence.
    var consentTermWords: String {
        switch self {
        case "unlimited": "until somebody revokes them"
        case "year": "for a year"
        default: "until the next \(self)"
        }
    }
}
