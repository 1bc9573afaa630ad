/// The app that asks for access.
package struct RequestingApp: Sendable {
    package let name: String
    package let clientID: String
    /// The developer team that the app belongs to.
    package let teamName: String

    package init(name: String, clientID: String, teamName: String) {
        self.name = name
        self.clientID = clientID
        self.teamName = teamName
    }

    var badge: Badge { Badge(name: name, id: clientID) }
}
