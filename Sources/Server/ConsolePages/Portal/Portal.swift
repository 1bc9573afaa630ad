import Administration
import Ground
import ServerPages

/// What surrounds every page of the developer portal: the team, who works there, and where they can go.
package struct Portal: Sendable {
    /// A team of the developer.
    package struct Team: Sendable {
        package let id: String
        package let name: String

        package init(id: String, name: String) {
            self.id = id
            self.name = name
        }

        var badge: Badge { Badge(name: name, id: id) }
    }

    /// The team that the page is about; nil before somebody has one.
    package let team: Team?
    /// All teams of the developer.
    package let teams: [Team]
    package let person: SignedInPerson
    package let notice: Desk.Notice?
    package let path: String

    package init(team: Team?, teams: [Team], person: SignedInPerson, notice: Desk.Notice? = nil, path: String) {
        self.team = team
        self.teams = teams
        self.person = person
        self.notice = notice
        self.path = path
    }

    package func path(of section: PortalSection) -> String {
        guard let team else { return PortalSection.start }
        return "\(PortalSection.start)/teams/\(team.id)/\(section.rawValue)"
    }

    /// The page of an app of the team.
    package func path(of app: AppRecord) -> String { "\(path(of: .apps))/\(app.primaryID)" }

    /// Where a member is removed, or leaves. A user name can have every sign but white space.
    package func removalPath(ofMember userName: String) -> String {
        "\(path(of: .members))/\(FormEncoding.escape(userName))/remove"
    }

    package func frame(in section: PortalSection?) -> Frame {
        let places = team == nil ? [] : PortalSection.allCases
        return Frame(
            house: team?.badge ?? Badge(name: "Lanyard", id: "lanyard"), person: person,
            places: places.map {
                Frame.Place(label: $0.label, path: path(of: $0), icon: $0.icon, isCurrent: $0 == section)
            }, hasSearch: false, notice: notice)
    }
}

/// A part of the developer portal, with a place in the sidebar.
package enum PortalSection: String, CaseIterable, Sendable {
    case apps, keys, members, senders, sandbox

    package static let start = "/developer"

    var label: Sentence { Sentence("portalSection.\(rawValue)") }

    var icon: String {
        switch self {
        case .apps: ConsoleSection.apps.icon
        case .keys: "M12.500 8.500a4 4 0 1 0-4 4 4 4 0 0 0 4-4zM11.500 11.500 17 17M14.500 14.500l2-2"
        case .members: ConsoleSection.people.icon
        case .sandbox: ConsoleSection.classes.icon
        case .senders: "M2.500 4.500h15v11h-15zM2.500 5.500l7.500 6 7.500-6"
        }
    }
}

/// A page of the developer portal.
package protocol PortalPage: DeskPage {
    var portal: Portal { get }
    var section: PortalSection? { get }
}

extension PortalPage {
    package var frame: Frame { portal.frame(in: section) }
}
