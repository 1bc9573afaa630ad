import Administration
import AdministrationExamples
import Directory
import Fixtures
import Foundation
import Storage
import TestSupport
import Testing

@Suite struct DeviceTests {
    @Test("a code registers a device, which is listed, shown and removed", arguments: TestDatabase.available)
    func life(_ kind: TestDatabase) async throws {
        try await Scene.with(kind) { scene in
            let manager = scene.administrator(
                .person(try await scene.holder(of: .deviceEnrollmentManager, at: scene.school.location.id).id))
            let elsewhere = scene.administrator(
                .person(try await scene.holder(of: .deviceEnrollmentManager, at: scene.annex.id).id))
            let code = try await manager.perform(IssueDeviceCode(person: PersonReference(scene.pupil.id)))
            #expect(code.answer.userName == scene.pupil.userName && code.change == nil)
            let registrar = DeviceRegistrar(
                database: scene.database, surroundings: scene.school.fixed.surroundings)
            let device = try await registrar.register(
                try TestDevice().key(), name: "Laptop", facts: DeviceFacts(["os": .text("Debian 12")]),
                code: code.answer.code, origin: .commandLine)

            #expect(try await manager.ask(ListDevices()).devices.map(\.id) == [device.publicID])
            #expect(try await elsewhere.ask(ListDevices()).devices.isEmpty)
            #expect(
                try await manager.ask(ShowDevice(device: device.publicID.uppercased())).facts
                    == ["os": .text("Debian 12")])
            await #expect(throws: OperationError.forbidden(.manageDevices)) {
                try await elsewhere.perform(RemoveDevice(device: device.publicID))
            }
            let removed = try await manager.perform(RemoveDevice(device: device.publicID))
            #expect(removed.effects.map(\.action) == ["device.removed"])
            await #expect(throws: OperationError.notFound(.device, device.publicID, in: "Maple District")) {
                try await manager.perform(RemoveDevice(device: device.publicID))
            }
        }
    }

    @Test("nobody gets a code with which they could sign in as somebody who may more")
    func escalation() async throws {
        try await Scene.with(.sqlite) { scene in
            let teacher = try await scene.holder(of: .instructor, at: scene.school.location.id)
            let head = try #require(
                try await scene.database.read { try Person.find(userName: "head@maple.example", in: $0) })
            for (role, allowed) in [
                (Role.deviceEnrollmentManager, [] as [Person]), (.siteManager, [teacher]),
                (.administrator, [teacher, head]),
            ] {
                let caller = scene.administrator(.person(try await scene.holder(of: role, at: nil).id))
                for person in [teacher, head] {
                    let change = IssueDeviceCode(person: PersonReference(person.id))
                    if allowed.contains(person) {
                        _ = try await caller.perform(change)
                    } else {
                        await #expect(throws: OperationError.forbidden(.manageDevices)) {
                            try await caller.perform(change)
                        }
                    }
                }
            }
        }
    }

    @Test("what somebody may do at another place counts, too")
    func escalationToOtherPlaces() async throws {
        try await Scene.with(.sqlite) { scene in
            let main = scene.school.location.id
            let caller = scene.administrator(.person(try await scene.holder(of: .siteManager, at: main).id))
            for (number, place) in [main, scene.annex.id, nil].enumerated() {
                let teacher = try await scene.school.insertPerson("teacher\(number)", .instructor)
                try await scene.school.assign(.manager, at: place, to: teacher)
                let change = IssueDeviceCode(person: PersonReference(teacher.id))
                if place == main {
                    _ = try await caller.perform(change)
                } else {
                    await #expect(throws: OperationError.forbidden(.manageDevices)) { try await caller.perform(change) }
                }
            }
        }
    }

    @Test("devices come page by page, and who has ten gets no code")
    func limits() async throws {
        try await Scene.with(.sqlite) { scene in
            for _ in 0..<10 { try await scene.registerDevice(of: scene.pupil) }
            let first = try await scene.operator.ask(ListDevices(limit: 6))
            let rest = try await scene.operator.ask(ListDevices(after: first.next, limit: 6))
            #expect(first.devices.count == 6 && rest.devices.count == 4 && rest.next == nil)
            #expect(Set((first.devices + rest.devices).map(\.id)).count == 10)
            await #expect(throws: OperationError.self) {
                try await scene.operator.perform(IssueDeviceCode(person: PersonReference(scene.pupil.id)))
            }
            try await scene.school.deactivate(scene.pupil)
            await #expect(
                throws: OperationError.refused(
                    "\(scene.pupil.fullName) is deactivated and could not sign in.",
                    remedy: .init(ReactivatePerson.name, scene.pupil.userName))
            ) { try await scene.operator.perform(IssueDeviceCode(person: PersonReference(scene.pupil.id))) }
        }
    }

    @Test("a profile names the organization and leaves an entry", arguments: TestDatabase.available)
    func profile(_ kind: TestDatabase) async throws {
        try await Scene.with(kind) { scene in
            let person = try await scene.holder(of: .deviceEnrollmentManager, at: scene.annex.id)
            let manager = scene.administrator(.person(person.id))
            let trail = try await scene.trail()
            let answer = try await manager.ask(ShowSignOnProfile())
            #expect(answer.profile == Data(scene.school.organization.name.utf8) && answer.signer == nil)
            let news = try await scene.news(since: trail)
            #expect(news.count == 1 && news[0].contains("device.profile"), "\(news)")

            let without = scene.with(
                AdministrationServices(
                    surroundings: scene.school.fixed.surroundings, hasher: scene.school.passwordHasher,
                    passwordNotice: nil, masterKey: Scene.masterKey()))
            await #expect(throws: OperationError.self) {
                try await without.operator.ask(ShowSignOnProfile(), in: scene.maple)
            }
        }
    }
}
