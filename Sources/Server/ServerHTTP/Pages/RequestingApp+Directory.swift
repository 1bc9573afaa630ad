import Authorization
import Foundation
import ServerPages
import Storage

extension RequestingApp {
    init(_ app: App, _ team: Team, clientID: String) {
        self.init(name: AppName(app), iconID: app.iconID, clientID: clientID, teamName: team.name)
    }

    /// An app that waits for the answer to a request.
    init(_ app: App, _ team: Team, asking request: AuthorizationRequest) {
        self.init(
            name: AppName(app), iconID: app.iconID, clientID: request.clientID, teamName: team.name,
            destination: Destination(of: request))
    }

    /// - Throws: ``OAuthError`` `invalid_client` if the app has been removed in the meantime.
    static func find(_ clientID: String, in transaction: some Transaction) throws -> RequestingApp {
        let (app, team) = try parts(clientID, in: transaction)
        return RequestingApp(app, team, clientID: clientID)
    }

    /// - Throws: ``OAuthError`` `invalid_client` if the app has been removed in the meantime.
    static func find(asking request: AuthorizationRequest, in transaction: some Transaction) throws -> RequestingApp {
        let (app, team) = try parts(request.clientID, in: transaction)
        return RequestingApp(app, team, asking: request)
    }

    private static func parts(_ clientID: String, in transaction: some Transaction) throws -> (App, Team) {
        guard let app = try App.find(clientID: clientID, in: transaction),
            let team = try Team.find(app.teamID, in: transaction)
        else { throw OAuthError(.invalidClient, "the client has been removed") }
        return (app, team)
    }
}

extension AppName {
    init(_ app: App) { self.init(app.name, localized: app.localizedNames) }
}

extension RequestingApp.Destination {
    /// Nil for a request of a device, which waits elsewhere.
    fileprivate init?(of request: AuthorizationRequest) {
        guard request.deviceHash == nil else { return nil }
        if ReturnURL.isNative(request.redirectURI) {
            self = .thisDevice
        } else if let host = URLComponents(string: request.redirectURI)?.host {
            self = .host(host)
        } else {
            return nil
        }
    }
}

extension ParkedRequest {
    /// The name of the app that asks; empty if it has been removed in the meantime.
    func appName(in database: any Database) async throws -> AppName {
        try await database.read { try App.find(clientID: request.clientID, in: $0).map { AppName($0) } ?? "" }
    }
}
