import Authorization
import CommandOutput
import Directory
import Foundation
import Ground
import Storage

/// The registration of Burgers and Tacos: one app with a web site and a native program as clients.
struct BurgersRegistration: Sendable {
    static let siteClientID = "com.example.burgers.site"
    static let nativeClientID = "com.example.burgers.native"
    /// The redirect URI of the native program. It is never loaded, because the extension stops there.
    static let nativeReturnURL = "https://burgers.example/native"

    /// The client secret of the site, new at each start.
    let siteSecret: String

    /// Creates the app at the first start, with the consent of one person: the consent page appears only once, and the
    /// demo is about signing in.
    static func put(
        in deployment: Deployment, returnURL: String, for userName: String
    ) async throws -> BurgersRegistration {
        let returnURLs = try [returnURL, nativeReturnURL].map { try ReturnURL($0, allowingLoopback: true) }
        let (now, surroundings, masterKey) = (deployment.now, deployment.surroundings, deployment.masterKey)
        return try await deployment.database.write { transaction in
            let app: App
            if let found = try App.find(clientID: siteClientID, in: transaction) {
                app = found
                // The port may have changed since the last start.
                try app.put(returnURLs: returnURLs, in: transaction)
            } else {
                let team = try Team.insert(
                    name: "Burgers & Tacos Ltd.", at: now, from: surroundings, under: masterKey, in: transaction)
                app = try App.insert(
                    name: "Burgers and Tacos", team: team.id, clientIDs: [siteClientID, nativeClientID],
                    returnURLs: returnURLs, scopes: ScopeSet([.name]), notificationURL: nil, at: now, in: transaction)
                try Client.find(nativeClientID, in: transaction)?.makePublic(in: transaction)
            }
            guard let site = try Client.find(siteClientID, in: transaction),
                let person = try Person.find(userName: userName, in: transaction)
            else { throw Failure("The demo's data are not whole. Delete its folder, and start again.") }
            if try SignInConsent.living(app: app.id, person: person.id, in: transaction) == nil {
                _ = try SignInConsent.put(
                    app: app.id, person: person.id, scopes: ScopeSet([.name]), givenName: nil, familyName: nil,
                    hidesEmail: false, request: Secret(from: surroundings).hash, at: now, in: transaction)
                try AuditEntry(
                    .appSignIn, by: .operator, on: "app:\(app.id.rawValue)", outcome: .done, detail: "for the demo",
                    from: .commandLine
                ).append(to: person.organizationID, at: now, in: transaction)
            }
            return BurgersRegistration(siteSecret: try site.makeSecret(from: surroundings, in: transaction).text)
        }
    }
}
