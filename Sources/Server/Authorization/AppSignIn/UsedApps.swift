import Directory
import Foundation
import Ground
import Storage

/// The changes that a person who is signed in can make to the apps that they use.
package struct UsedApps: Sendable {
    private let database: any Database
    private let surroundings: Surroundings

    package init(database: any Database, surroundings: Surroundings) {
        self.database = database
        self.surroundings = surroundings
    }

    /// Ends the person's use of an app.
    /// - Returns: false if the person does not use it, or is not signed in any more.
    @discardableResult
    package func stop(_ app: AppID, in session: BrowserSession, origin: Origin) async throws -> Bool {
        let (now, surroundings) = (surroundings.now(), surroundings)
        return try await database.write { transaction in
            guard let person = try BrowserSession.reload(session, at: now, in: transaction)?.person,
                let used = try UsedApp.find(app, of: person, at: now, in: transaction)
            else { return false }
            return try used.stop(by: person, from: origin, at: now, surroundings: surroundings, in: transaction)
        }
    }

    /// Switches forwarding of one of the person's hidden addresses, and tells the apps that have it.
    /// - Returns: false if it is not the person's, or they are not signed in any more.
    package func setForwarding(
        _ forwards: Bool, of address: HiddenAddressID, in session: BrowserSession, origin: Origin
    ) async throws -> Bool {
        let (now, surroundings) = (surroundings.now(), surroundings)
        return try await database.write { transaction in
            guard let person = try BrowserSession.reload(session, at: now, in: transaction)?.person,
                let hidden = try HiddenAddress.find(address, in: transaction), hidden.personID == person.id
            else { return false }
            try hidden.setForwarding(
                forwards, apps: try hidden.apps(in: transaction), by: .person(person.id), from: origin, at: now,
                surroundings: surroundings, in: transaction)
            return true
        }
    }
}
