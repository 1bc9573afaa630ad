import Administration
import ServerPages

/// A part of the console, with a place in the sidebar.
package enum ConsoleSection: String, CaseIterable, Sendable {
    case home, people, classes, locations, imports, access, apps, devices, activity, settings

    package var path: String { self == .home ? "/manager" : "/manager/\(rawValue)" }

    /// Whoever has one of these privileges finds something to do there.
    package var privileges: Set<Privilege> {
        switch self {
        case .home: Privilege.ofOrganizations
        case .people: [.readPeople]
        case .classes: [.readPeople, .manageClasses]
        case .locations: [.manageLocations]
        case .imports: [.importRoster]
        case .access: [.manageSignInApps, .shareData]
        case .apps: [.shareData]
        case .devices: [.manageDevices]
        case .activity: [.readAudit]
        case .settings: [.manageOrganization]
        }
    }

    /// Whether it is about the whole organization, so that whoever looks after one place finds nothing there.
    var isOfWhole: Bool {
        switch self {
        case .home, .people, .classes, .locations, .devices: false
        case .imports, .access, .apps, .activity, .settings: true
        }
    }

    var label: Sentence { Sentence("consoleSection.\(rawValue)") }

    /// The strokes of its icon, in a square of 20 by 20.
    var icon: String {
        switch self {
        case .home: "M3 9.5 10 3l7 6.5M5 8v9h10V8M8.5 17v-5h3v5"
        case .people:
            "M7.5 9.5a3 3 0 1 0 0-6 3 3 0 0 0 0 6zM2 17c0-3 2.2-5 5.500-5s5.500 2 5.500 5M13 4a3 3 0 0 1 0 5.500M15 12.500c2 .6 3 2.300 3 4.500"
        case .classes: "M2.500 4.500h15v10h-15zM7 17.500h6M10 14.500v3M6 8h8M6 11h5"
        case .locations:
            "M10 18s6-5.200 6-9.700A6 6 0 0 0 4 8.300C4 12.800 10 18 10 18zM10 10.500a2.200 2.200 0 1 0 0-4.400 2.200 2.200 0 0 0 0 4.400z"
        case .imports: "M10 3v9M6.500 8.500 10 12l3.500-3.500M3 13v4h14v-4"
        case .access: "M5 9h10v8H5zM7 9V6.500a3 3 0 0 1 6 0V9M10 12v2"
        case .apps: "M3 3h5.500v5.500H3zM11.500 3H17v5.500h-5.500zM3 11.500h5.500V17H3zM11.500 11.500H17V17h-5.500z"
        case .devices: "M4 4h12v8.500H4zM2 16h16M8 16v-3.500h4V16"
        case .activity: "M2.500 10.500h3.500l2.200-6 3.600 11 2.200-5h3.500"
        case .settings:
            "M3 6h8M15 6h2M3 14h2M9 14h8M13 8a2 2 0 1 0 0-4 2 2 0 0 0 0 4zM7 16a2 2 0 1 0 0-4 2 2 0 0 0 0 4z"
        }
    }
}
