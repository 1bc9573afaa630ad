import ConsolePages
import Hummingbird

/// `/manager`: the console of an organization.
struct ConsoleRoutes: Sendable {
    let door: ConsoleDoor

    func mount(on router: some RouterMethods<AppContext>) {
        HomeRoutes(door: door).mount(on: router)
        PeopleRoutes(door: door).mount(on: router)
        AccessRoutes(door: door).mount(on: router)
        AppRoutes(door: door).mount(on: router)
        ChangeRoutes(door: door).mount(on: router)
    }
}
