import Authorization
import Directory
import Storage

/// What a change would end. Printed with `--dry-run`, and before asking for confirmation.
struct LossReport: Encodable, Sendable {
    struct AppLoss: Encodable, Sendable {
        let name: String
        let clientID: String
        /// How many people would be signed out of it.
        let signIns: Int
        /// Whether it can read the organization's people and classes now, but could not after the change.
        let readsRoster: Bool
    }

    let organization: String
    let organizationName: String
    /// How many people apps can see.
    let people: Int
    let apps: [AppLoss]

    init(_ losses: [AccessLoss], of organization: Organization, in transaction: some Transaction) throws {
        self.organization = organization.publicID
        organizationName = organization.name
        people = try Person.count(of: organization.id, in: transaction)
        apps = try losses.map { loss in
            AppLoss(
                name: loss.app.name, clientID: try App.clientIDs(of: loss.app.id, in: transaction).first ?? "",
                signIns: loss.signIns, readsRoster: loss.readsRoster)
        }
    }

    /// One sentence for each app and each kind of loss.
    var sentences: [String] {
        apps.flatMap { app in
            [
                app.signIns > 0
                    ? "\(app.name): \(app.signIns) \(app.signIns == 1 ? "person is" : "people are") signed out of it."
                    : nil,
                app.readsRoster ? "\(app.name): reads nothing about the \(people) people of \(organizationName)." : nil,
            ].compactMap { $0 }
        }
    }

    var text: String {
        let sentences = sentences
        return sentences.isEmpty
            ? "Nothing was changed, as you asked. Nothing would end."
            : "Nothing was changed, as you asked. This would end:\n\n"
                + sentences.map { "  \($0)" }.joined(separator: "\n")
    }
}
