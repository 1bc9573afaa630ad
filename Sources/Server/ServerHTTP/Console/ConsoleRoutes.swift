import Administration
import ConsolePages
import Directory
import Ground
import Hummingbird

/// `/manager`: the console of an organization.
struct ConsoleRoutes: Sendable {
    let door: ConsoleDoor
    let profile: SignOnProfile?
    let surroundings: Surroundings
    let baseURL: String
    let sendsMail: Bool

    func mount(on router: some RouterMethods<AppContext>) {
        HomeRoutes(door: door).mount(on: router)
        PeopleRoutes(door: door).mount(on: router)
        FindRoutes(door: door).mount(on: router)
        ImportRoutes(door: door).mount(on: router)
        IDMapRoutes(door: door).mount(on: router)
        PickUpRoutes(door: door, sendsMail: sendsMail).mount(on: router)
        ActivityRoutes(door: door).mount(on: router)
        DeviceRoutes(door: door, profile: profile, surroundings: surroundings).mount(on: router)
        PersonRecordRoutes(door: door).mount(on: router)
        PersonDataRoutes(door: door).mount(on: router)
        PersonSignInRoutes(door: door, sendsMail: sendsMail).mount(on: router)
        PasswordRoutes(door: door, baseURL: baseURL, sendsMail: sendsMail).mount(on: router)
        ClassRoutes(door: door).mount(on: router)
        TermRoutes(door: door).mount(on: router)
        LocationRoutes(door: door).mount(on: router)
        AccessRoutes(door: door).mount(on: router)
        AppRoutes(door: door, sendsMail: sendsMail).mount(on: router)
        SettingsRoutes(door: door).mount(on: router)
        ChangeRoutes(door: door).mount(on: router)
    }
}

extension ConsoleDoor.Visit {
    /// Whether the server writes to people of the organization. Nobody writes to those of a sandbox, who are made up.
    /// - Parameter sendsMail: whether the server sends mail at all.
    func getsMail(_ sendsMail: Bool) -> Bool { sendsMail && !organization.isSandbox }
}
