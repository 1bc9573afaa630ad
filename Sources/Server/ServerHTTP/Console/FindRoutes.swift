import Administration
import ConsolePages
import Directory
import Foundation
import Hummingbird

/// `/manager/find`: what the search field and the palette show while somebody types. Each kind is found by its own
/// operation, and only for whom its list is open.
struct FindRoutes: Sendable {
    let door: ConsoleDoor

    /// How many people are shown, and how many of each other kind.
    private static let people = 8
    private static let others = 4
    /// How many locations are looked through for those that the person looks after.
    private static let locationsMax = 500

    private struct Found: Codable {
        let name: String
        let note: String
        let path: String
    }

    func mount(on router: some RouterMethods<AppContext>) {
        router.get("manager/find", use: find)
    }

    @Sendable private func find(_ request: Request, context: AppContext) async throws -> Response {
        let input = ConsoleInput(try request.queryParameters())
        return try await door.open(request, context, in: .people) { visit in
            guard let text = try input["text"] else {
                try visit.require(ListPeople.self)
                return .response(try .json([Found]()))
            }
            let found =
                try await people(text, visit) + classes(text, visit) + locations(text, visit) + apps(text, visit)
            return .response(try .json(found))
        }
    }

    private func people(_ text: String, _ visit: ConsoleDoor.Visit) async throws -> [Found] {
        try await visit.ask(ListPeople(text: text, limit: Self.people)).people.map {
            Found(name: $0.fullName, note: $0.userName, path: "\(PeopleRoutes.path)/PE-\($0.number)")
        }
    }

    private func classes(_ text: String, _ visit: ConsoleDoor.Visit) async throws -> [Found] {
        guard visit.desk.isSchool else { return [] }
        return try await visit.ask(ListClasses(text: text, limit: Self.others)).classes.map { one in
            Found(
                name: one.name, note: [one.classNumber, one.location].compactMap(\.self).joined(separator: ", "),
                path: ClassWords.path(of: one.number))
        }
    }

    /// The locations that the person looks after: the pages of others are closed to them.
    private func locations(_ text: String, _ visit: ConsoleDoor.Visit) async throws -> [Found] {
        guard visit.desk.may(.manageLocations) else { return [] }
        let limit = visit.desk.mayEverywhere(.manageLocations) ? Self.others : Self.locationsMax
        let found = try await visit.ask(ListLocations(text: text, limit: limit)).locations
        return found.filter(visit.desk.mayChange).prefix(Self.others).map { one in
            Found(
                name: one.name, note: [one.locationID, one.domain].compactMap(\.self).joined(separator: ", "),
                path: LocationPage.path(of: one.number))
        }
    }

    /// The apps that have a page.
    private func apps(_ text: String, _ visit: ConsoleDoor.Visit) async throws -> [Found] {
        guard visit.desk.isSchool, visit.desk.mayEverywhere(ListConsents.privilege) else { return [] }
        return try await visit.ask(ListConsents(onlyAlive: true)).consents.filter {
            $0.app.range(of: text, options: [.caseInsensitive, .diacriticInsensitive]) != nil
        }.prefix(Self.others).map {
            Found(name: $0.app, note: $0.clientID, path: "\(ConsoleSection.apps.path)/\($0.appNumber)")
        }
    }
}
