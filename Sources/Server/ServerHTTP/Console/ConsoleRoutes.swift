import ConsolePages
import Hummingbird

/// `/manager`: the console of an organization.
struct ConsoleRoutes: Sendable {
    let door: ConsoleDoor
    let profile: SignOnProfile?

    func mount(on router: some RouterMethods<AppContext>) {
        HomeRoutes(door: door).mount(on: router)
        PeopleRoutes(door: door).mount(on: router)
        ImportRoutes(door: door).mount(on: router)
        IDMapRoutes(door: door).mount(on: router)
        PickUpRoutes(door: door).mount(on: router)
        ActivityRoutes(door: door).mount(on: router)
        DeviceRoutes(door: door, profile: profile).mount(on: router)
        ChangeRoutes(door: door).mount(on: router)
    }
}
