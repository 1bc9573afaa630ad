/// The app that asks for access.
package struct RequestingApp: Sendable {
    package let name: AppName
    /// The id of its icon; nil for initials.
    package let iconID: String?
    package let clientID: String
    /// The developer team that the app belongs to.
    package let teamName: String
    /// Where the answer leads the person; nil if it does not lead to the app, or the page says it elsewhere.
    package let destination: Destination?

    package enum Destination: Equatable, Sendable {
        case host(String)
        /// A program on the person's own device. It can be any program there.
        case thisDevice
    }

    package init(
        name: AppName, iconID: String? = nil, clientID: String, teamName: String, destination: Destination? = nil
    ) {
        self.name = name
        self.iconID = iconID
        self.clientID = clientID
        self.teamName = teamName
        self.destination = destination
    }

    /// Who makes the app and where the answer goes. The app's name alone proves nothing, since its developer chooses
    /// it.
    var maker: Sentence {
        var values: Content = ["app": .text(name), "team": .text(teamName)]
        switch destination {
        case .host(let host):
            values["host"] = .text(host)
            return Sentence("maker.host", values)
        case .thisDevice: return Sentence("maker.thisDevice", values)
        case nil: return Sentence("maker.alone", values)
        }
    }

    /// Its initials are the same in every language, as its colour is.
    var badge: Badge { Badge(name: name.usual, id: clientID, picture: iconID) }
}
