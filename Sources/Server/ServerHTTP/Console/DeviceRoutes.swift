import Administration
import ConsolePages
import Directory
import Foundation
import Ground
import Hummingbird
import ServerPages

/// `/manager/devices`: the devices that sign their people in, and the profile with which they do.
struct DeviceRoutes: Sendable {
    let door: ConsoleDoor
    /// Makes the profile; nil where nothing can.
    let profile: SignOnProfile?
    let surroundings: Surroundings

    private static let path = ConsoleSection.devices.path

    func mount(on router: some RouterMethods<AppContext>) {
        router.get("manager/devices", use: list)
        router.get("manager/devices/code", use: askForCode)
        router.post("manager/devices/code", use: makeCode)
        router.get("manager/devices/profile", use: showProfile)
        router.get("manager/devices/profile/file", use: downloadProfile)
        router.get("manager/devices/{device}", use: show)
        router.get("manager/devices/{device}/remove", use: askRemove)
        router.post("manager/devices/{device}/remove", use: remove)
    }

    @Sendable private func list(_ request: Request, context: AppContext) async throws -> Response {
        let input = ConsoleInput(try request.queryParameters())
        return try await door.open(request, context, in: .devices) { visit in
            let (person, after) = (try input["person"], try input["after"].flatMap { Int64($0) })
            do {
                let found = try await visit.ask(
                    ListDevices(person: person.map(PersonReference.init), after: after, limit: 50))
                return .page(DevicesPage(desk: visit.desk, found: found, person: person, after: after))
            } catch {
                guard person != nil, let failure = OperationFailure(error),
                    [.notFound, .ambiguous].contains(failure.kind)
                else { throw error }
                return .refusal(
                    DevicesPage(
                        desk: visit.desk, found: .init(devices: [], next: nil), person: person, after: nil,
                        failure: failure))
            }
        }
    }

    @Sendable private func show(_ request: Request, context: AppContext) async throws -> Response {
        let device = try context.pathInput("device")
        return try await door.open(request, context, in: .devices) { visit in
            .page(DevicePage(desk: visit.desk, device: try await visit.ask(ShowDevice(device: device))))
        }
    }

    // MARK: Codes

    @Sendable private func askForCode(_ request: Request, context: AppContext) async throws -> Response {
        let input = ConsoleInput(try request.queryParameters())
        return try await door.open(request, context, in: .devices) { visit in
            try await visit.administrator.admit(IssueDeviceCode.self)
            return .page(DeviceCodePage(desk: visit.desk, person: try input["person"] ?? ""))
        }
    }

    @Sendable private func makeCode(_ request: Request, context: AppContext) async throws -> Response {
        try await door.submit(
            request, context, in: .devices, from: "\(Self.path)/code",
            again: { visit, input, failure in
                DeviceCodePage(desk: visit.desk, person: try input["person"] ?? "", failure: failure)
            }
        ) { visit, input in
            guard let person = try input["person"] else {
                throw OperationError.invalid(field: "person", reason: "is missing")
            }
            do {
                let done = try await visit.perform(IssueDeviceCode(person: PersonReference(person)))
                return .page(DeviceCodePage(desk: visit.desk, made: done.answer))
            } catch OperationError.notFound(let kind, let text, let place) {
                // Typed into the form, and not the address of a page.
                throw OperationError.refused(OperationError.notFound(kind, text, in: place).description)
            }
        }
    }

    // MARK: Removing

    @Sendable private func askRemove(_ request: Request, context: AppContext) async throws -> Response {
        let id = try context.pathInput("device")
        return try await door.open(request, context, in: .devices) { visit in
            let device = try await visit.ask(ShowDevice(device: id))
            let preview = try await visit.preview(RemoveDevice(device: id))
            return .page(
                ConfirmPage(
                    desk: visit.desk, section: .devices,
                    heading: Sentence("consoleDevices.removeHeading", ["name": .text(device.name)]),
                    parent: ConsoleLink(.named(device.name), to: "\(Self.path)/\(device.id)"),
                    consequences: [Sentence("consoleDevices.removeText", ["name": .text(device.fullName)])],
                    preview: preview, action: "\(Self.path)/\(device.id)/remove",
                    button: Sentence("consoleDevices.remove"), isFinal: true))
        }
    }

    @Sendable private func remove(_ request: Request, context: AppContext) async throws -> Response {
        let id = try context.pathInput("device")
        return try await door.submit(request, context, in: .devices, from: "\(Self.path)/\(id)/remove") {
            visit, input in
            guard try input.isConfirmed else { throw PageError.notFound }
            let done = try await visit.perform(RemoveDevice(device: id), ifVersion: try input.version)
            return .next(Self.path, changes: done.changes)
        }
    }

    // MARK: The profile

    /// Says whether there can be one, and who signs it. Only the download hands something out, and is in the trail.
    @Sendable private func showProfile(_ request: Request, context: AppContext) async throws -> Response {
        try await door.open(request, context, in: .devices) { visit in
            try await visit.administrator.admit(ShowSignOnProfile.self)
            guard let profile else {
                return .page(
                    SignOnProfilePage(
                        desk: visit.desk,
                        .failure(.init(reason: "This program cannot make profiles. Use `lanyard device profile`."))))
            }
            do {
                let made = try profile.make(for: visit.organization.name, at: surroundings.now())
                return .page(SignOnProfilePage(desk: visit.desk, .success(made.signature)))
            } catch let problem as SignOnProfile.Problem {
                return .page(SignOnProfilePage(desk: visit.desk, .failure(problem)))
            }
        }
    }

    @Sendable private func downloadProfile(_ request: Request, context: AppContext) async throws -> Response {
        try await door.open(request, context, in: .devices) { visit in
            do {
                let answer = try await visit.ask(ShowSignOnProfile())
                return .response(
                    .download(
                        Array(answer.profile), as: "application/x-apple-aspen-config",
                        named: "organization.mobileconfig"))
            } catch OperationError.refused(let reason, _) {
                return .refusal(SignOnProfilePage(desk: visit.desk, .failure(.init(reason: reason))))
            }
        }
    }
}
