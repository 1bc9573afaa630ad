import Authorization
import CommandOutput
import Storage

/// Finds an app by what was typed for it.
struct AppSelector: Sendable {
    /// A client id or an exact name.
    let text: String

    /// - Throws: ``Failure`` if there is no such app, or several.
    func find(in transaction: some Transaction) throws -> App {
        if let found = try App.find(clientID: text, in: transaction) { return found }
        let named = try App.list(in: transaction).filter { $0.name == text }
        switch named.count {
        case 1: return named[0]
        case 0: throw Failure("There is no app “\(text)”. `lanyard app list` shows the apps and their client ids.")
        default:
            let clientIDs = try named.compactMap { try App.clientIDs(of: $0.id, in: transaction).first }
            throw Failure(
                "\(named.count) apps are called “\(text)”; name one by client id: \(clientIDs.joined(separator: ", "))."
            )
        }
    }
}
