import Directory
import Fixtures
import Foundation
import Ground
import Storage
import Testing
import TestSupport

@Suite struct DeviceRegistrarTests {
    private func registrar(_ school: School) -> DeviceRegistrar {
        DeviceRegistrar(database: school.database, surroundings: school.fixed.surroundings)
    }

    private func code(_ school: School, for person: Person) async throws -> String {
        try await DeviceRegistrar.issueCode(for: person, in: school.database, school.fixed)
    }

    private func register(
        _ school: School, _ code: String, _ device: TestDevice = TestDevice(), name: String = "Laptop"
    ) async throws -> RegisteredDevice {
        try await registrar(school).register(
            try device.key(), name: name, facts: .none, code: code, origin: .commandLine)
    }

    private func devices(_ school: School, of person: Person) async throws -> [String] {
        try await school.database.read { try RegisteredDevice.list(of: person.id, in: $0).map(\.name) }
    }

    @Test(arguments: TestDatabase.available)
    func `a code registers one device, however it is typed, and the database has its hash`(_ kind: TestDatabase)
        async throws
    {
        try await kind.with { database in
            let school = try await School.insert(in: database)
            let nadia = try await school.insertPerson("nadia", .instructor)
            let code = try await code(school, for: nadia)
            #expect(code.wholeMatch(of: /([B-DF-HJ-NP-TV-XZ]{4}-){2}[B-DF-HJ-NP-TV-XZ]{4}/) != nil)
            let stored = try await database.read {
                try $0.all("SELECT code_hash FROM device_registration_code") { try $0[0] as SecretHash }
            }
            #expect(stored == [SecretHash(of: code.replacingOccurrences(of: "-", with: ""))])
            let device = try await register(school, " \(code.lowercased().replacingOccurrences(of: "-", with: " ")) ")
            #expect(device.personID == nadia.id)
            #expect(try await devices(school, of: nadia) == ["Laptop"])
            await #expect(throws: DeviceRefusal.invalidCode) { try await register(school, code) }
            #expect(try await devices(school, of: nadia) == ["Laptop"])
        }
    }

    @Test(arguments: TestDatabase.available)
    func `of twenty devices that use one code at once, one is registered`(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let school = try await School.insert(in: database)
            let nadia = try await school.insertPerson("nadia", .instructor)
            let code = try await code(school, for: nadia)
            let outcomes = await withTaskGroup(of: String.self) { group in
                for number in 0..<20 {
                    group.addTask {
                        do {
                            return try await register(school, code, name: "Device \(number)").name
                        } catch let refusal as DeviceRefusal {
                            return refusal.code
                        } catch {
                            return "\(error)"
                        }
                    }
                }
                return await group.reduce(into: [String]()) { $0.append($1) }
            }
            #expect(outcomes.count { $0 == "invalid_code" } == 19)
            #expect(try await devices(school, of: nadia) == outcomes.filter { $0 != "invalid_code" })
        }
    }

    @Test(arguments: TestDatabase.available)
    func `a code is good for a quarter of an hour; a later one, a new password and deactivation void it`(
        _ kind: TestDatabase
    ) async throws {
        try await kind.with { database in
            let school = try await School.insert(in: database)
            let nadia = try await school.insertPerson("nadia", .instructor)
            let (first, second) = (try await code(school, for: nadia), try await code(school, for: nadia))
            await #expect(throws: DeviceRefusal.invalidCode) { try await register(school, first) }
            school.fixed.advance(by: 899)
            _ = try await register(school, second)
            let third = try await code(school, for: nadia)
            school.fixed.advance(by: 900)
            await #expect(throws: DeviceRefusal.invalidCode) { try await register(school, third) }

            let (beforePassword, now) = (try await code(school, for: nadia), school.fixed.now)
            try await database.write { try Credential.put("x", temporaryUntil: nil, for: nadia.id, at: now, in: $0) }
            await #expect(throws: DeviceRefusal.invalidCode) { try await register(school, beforePassword) }

            let beforeEnd = try await code(school, for: nadia)
            try await school.deactivate(nadia)
            await #expect(throws: DeviceRefusal.invalidCode) { try await register(school, beforeEnd) }
            await #expect(throws: DeviceRefusal.accountDeactivated) { try await code(school, for: nadia) }
        }
    }

    @Test(arguments: TestDatabase.available)
    func `a person has ten devices at most; what is refused leaves the code good`(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let school = try await School.insert(in: database)
            let nadia = try await school.insertPerson("nadia", .instructor)
            for _ in 0..<9 { _ = try await register(school, try await code(school, for: nadia)) }
            // A person has only one valid code at a time, so the tenth device is inserted while the code waits.
            let code = try await code(school, for: nadia)
            try await database.write { transaction in
                try transaction.execute(
                    """
                    INSERT INTO registered_device
                        (public_id, person_id, name, public_key, thumbprint, facts, registered_at)
                    SELECT 'other', person_id, name, public_key, 'other', facts, registered_at
                    FROM registered_device LIMIT 1
                    """)
            }
            await #expect(throws: DeviceRefusal.tooManyDevices) { try await register(school, code) }
            await #expect(throws: DeviceRefusal.tooManyDevices) { try await self.code(school, for: nadia) }
            try await database.write { try $0.execute("DELETE FROM registered_device WHERE public_id = 'other'") }
            _ = try await register(school, code)
            #expect(try await devices(school, of: nadia).count == 10)
        }
    }

    @Test(arguments: TestDatabase.available)
    func `a device that asks again with the same key is the same device; another person's is another`(
        _ kind: TestDatabase
    ) async throws {
        try await kind.with { database in
            let school = try await School.insert(in: database)
            let (nadia, ben) = (
                try await school.insertPerson("nadia", .instructor), try await school.insertPerson("ben", .instructor)
            )
            let device = TestDevice()
            let first = try await register(school, try await code(school, for: nadia), device, name: "Old name")
            let again = try await register(school, try await code(school, for: nadia), device, name: "New name")
            #expect(first.publicID == again.publicID)
            #expect(try await devices(school, of: nadia) == ["New name"])
            let other = try await register(school, try await code(school, for: ben), device)
            #expect(other.publicID != first.publicID)
        }
    }

    @Test(arguments: ["", "   ", "a\u{1b}[2J", "a\nb", String(repeating: "n", count: 257)])
    func `a name that is none is refused before the code is looked at`(name: String) async throws {
        try await TestDatabase.sqlite.with { database in
            let school = try await School.insert(in: database)
            let nadia = try await school.insertPerson("nadia", .instructor)
            let code = try await code(school, for: nadia)
            let refusal = await #expect(throws: DeviceRefusal.self) { try await register(school, code, name: name) }
            #expect(refusal?.code == "invalid_request")
            _ = try await register(school, code)
        }
    }

    @Test func `personal accounts and the test school have no devices`() async throws {
        try await TestDatabase.sqlite.with { database in
            let school = try await School.insert(in: database, isSynthetic: true)
            let pupil = try await school.insertPerson("pupil", .student)
            await #expect(throws: DeviceRefusal.synthetic) { try await code(school, for: pupil) }
            let now = school.fixed.now
            let maria = try await database.write {
                try Person.insert(
                    in: nil, givenName: "Maria", familyName: "Ruiz", userName: "maria@home.example", at: now, in: $0)
            }
            await #expect(throws: DeviceRefusal.notManaged) { try await code(school, for: maria) }
        }
    }
}
