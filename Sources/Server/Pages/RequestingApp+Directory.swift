import Authorization
import ServerPages
import Storage

extension RequestingApp {
    init(_ app: App, _ team: Team, clientID: String) {
        self.init(name: app.name, clientID: clientID, teamName: team.name)
    }

    /// - Throws: ``OAuthError`` `invalid_client` if the app has gone meanwhile.
    static func find(_ clientID: String, in transaction: some Transaction) throws -> RequestingApp {
        guard let app = try App.find(clientID: clientID, in: transaction),
            let team = try Team.find(app.teamID, in: transaction)
        else { throw OAuthError(.invalidClient, "the client has been removed") }
        return RequestingApp(app, team, clientID: clientID)
    }
}

extension ParkedRequest {
    /// The name of the app that asks; empty if it has gone meanwhile.
    func appName(in database: any Database) async throws -> String {
        try await database.read { try App.find(clientID: request.clientID, in: $0)?.name ?? "" }
    }
}
