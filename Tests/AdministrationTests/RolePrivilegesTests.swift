import AdministrationExamples
import Directory
import Fixtures
import Storage
import TestSupport
import Testing

@testable import Administration

/// What an organization changes of the privileges of roles.
@Suite struct RolePrivilegesTests {
    private static func caller(_ role: Role, in scene: Scene, at place: LocationID? = nil) async throws -> Administrator
    {
        scene.administrator(.person(try await scene.holder(of: role, at: place).id))
    }

    private static func privileges(of role: Role, in scene: Scene) async throws -> Set<Privilege> {
        let roles = try await scene.operator.ask(ListRoles(), in: scene.maple).roles
        return Set(try #require(roles.first { $0.role == role }).privileges)
    }

    @Test("what is optional is no more than what somebody could give back, and nobody's decisions about apps")
    func optional() {
        for role in Role.allCases {
            #expect(
                role.optionalPrivileges.isDisjoint(
                    with: [.readPeople, .manageOrganization, .manageSignInApps, .shareData]))
            #expect(role.optionalPrivileges.isSubset(of: Privilege.ofOrganizations))
        }
        #expect(Role.administrator.optionalPrivileges.isEmpty)
        #expect(
            Role.allCases.filter { !$0.optionalPrivileges.isEmpty } == [
                .siteManager, .peopleManager, .manager, .instructor,
            ])
    }

    @Test(
        "it counts from the next step on, at the place of the role, and comes back", arguments: TestDatabase.available)
    func takenAndGiven(_ kind: TestDatabase) async throws {
        try await Scene.with(kind) { scene in
            let here = try await Self.caller(.manager, in: scene, at: scene.school.location.id)
            let elsewhere = try await Self.caller(.manager, in: scene, at: scene.annex.id)
            let pupil = PersonReference(scene.pupil.id)
            let (deactivate, readers) = (DeactivatePerson(person: pupil), ListReaders(person: pupil))
            _ = try await here.preview(deactivate)
            await #expect(throws: OperationError.forbidden(.readAudit)) { try await here.ask(readers) }

            let before = try await Self.privileges(of: .manager, in: scene)
            let head = try await Self.caller(.administrator, in: scene)
            let done = try await head.perform(SetRole(role: .manager, give: [.readAudit], take: [.managePeople]))
            #expect(
                done.effects.map(\.detail) == ["manager; given audit.read; taken people.manage"]
                    && done.effects.map(\.action) == ["role.privileges-changed"])
            #expect(done.answer.isChanged && done.answer.holders == 2)
            #expect(Set(done.answer.privileges) == before.union([.readAudit]).subtracting([.managePeople]))
            await #expect(throws: OperationError.forbidden(.managePeople)) { try await here.preview(deactivate) }
            _ = try await here.ask(readers)
            await #expect(throws: OperationError.forbidden(.readAudit)) { try await elsewhere.ask(readers) }
            // The other roles are as they were.
            _ = try await Self.caller(.peopleManager, in: scene).preview(deactivate)

            _ = try await head.undo(try #require(done.change))
            #expect(try await Self.privileges(of: .manager, in: scene) == before)
            _ = try await here.preview(deactivate)
            let rows = try await scene.database.read {
                try $0.first("SELECT COUNT(*) FROM role_privileges") { try $0[0] } as Int?
            }
            #expect(rows == 0)
        }
    }

    @Test("nobody gives what they lack, nor changes a role that they do not manage")
    func escalation() async throws {
        try await Scene.with(.sqlite) { scene in
            let (siteManager, peopleManager) =
                (try await Self.caller(.siteManager, in: scene), try await Self.caller(.peopleManager, in: scene))
            let ofOnePlace = try await Self.caller(.siteManager, in: scene, at: scene.school.location.id)
            let manager = try await Self.caller(.manager, in: scene)
            let before = try await scene.state()
            await #expect(throws: OperationError.forbidden(.readAudit)) {
                try await peopleManager.perform(SetRole(role: .manager, give: [.readAudit]))
            }
            // Not by their own role either.
            await #expect(throws: OperationError.forbidden(.manageDevices)) {
                try await peopleManager.perform(SetRole(role: .peopleManager, give: [.manageDevices]))
            }
            // Nor weakens a role that is larger than theirs, whatever of it.
            await #expect(throws: OperationError.forbidden(.manageOrganization)) {
                try await peopleManager.perform(SetRole(role: .siteManager, take: [.managePeople]))
            }
            // For one place nobody decides what a role may do at all of them.
            await #expect(throws: OperationError.forbidden(.manageOrganization)) {
                try await ofOnePlace.perform(SetRole(role: .manager, take: [.managePeople]))
            }
            await #expect(throws: OperationError.forbidden(.manageOrganization)) {
                try await manager.perform(SetRole(role: .instructor, take: [.issuePasswords]))
            }
            #expect(try await scene.state() == before)

            // What an Administrator has taken, only somebody who has it gives back, also by taking the change back.
            let head = try await Self.caller(.administrator, in: scene)
            let taken = try await head.perform(SetRole(role: .siteManager, take: [.readAudit]))
            await #expect(throws: OperationError.forbidden(.readAudit)) {
                try await siteManager.undo(try #require(taken.change))
            }
            await #expect(throws: OperationError.forbidden(.readAudit)) {
                try await siteManager.perform(SetRole(role: .siteManager, give: [.readAudit]))
            }
            await #expect(throws: OperationError.forbidden(.readAudit)) { try await siteManager.ask(ListAudit()) }
        }
    }

    @Test("nobody reaches what they lack by a role, a password or a code that they give to another account")
    func byAnother() async throws {
        try await Scene.with(.sqlite) { scene in
            let peopleManager = try await Self.caller(.peopleManager, in: scene)
            let pupil = PersonReference(scene.pupil.id)
            let holders = [
                Role.siteManager: try await scene.holder(of: .siteManager, at: nil),
                .manager: try await scene.holder(of: .manager, at: nil),
            ]
            func expectManaged(_ isManaged: Bool, _ role: Role) async throws {
                let holder = try #require(holders[role])
                let tries: [any Change] = [
                    AddRole(person: pupil, role: role, at: nil), IssuePassword(person: PersonReference(holder.id)),
                    EditPerson(person: PersonReference(holder.id), firstName: "Else"),
                ]
                for one in tries {
                    let what: Comment = "\(role) \(type(of: one))"
                    if isManaged {
                        await #expect(throws: Never.self, what) { _ = try await peopleManager.preview(one) }
                    } else {
                        await #expect(throws: OperationError.self, what) { _ = try await peopleManager.preview(one) }
                    }
                }
            }
            try await expectManaged(true, .siteManager)
            try await expectManaged(true, .manager)

            // A role that was given more than theirs: they do not change it, and reach no more than by a Site Manager.
            let given = try await scene.operator.perform(SetRole(role: .manager, give: [.readAudit]), in: scene.maple)
            try await expectManaged(true, .manager)
            await #expect(throws: OperationError.forbidden(.manageOrganization)) {
                try await peopleManager.perform(SetRole(role: .manager, take: [.readAudit]))
            }
            _ = try await scene.operator.undo(try #require(given.change), in: scene.maple)

            // A role that still has what was taken from theirs.
            _ = try await scene.operator.perform(SetRole(role: .peopleManager, take: [.erasePeople]), in: scene.maple)
            try await expectManaged(true, .manager)
            try await expectManaged(false, .siteManager)
            let head = try await Self.caller(.administrator, in: scene)
            _ = try await head.preview(AddRole(person: pupil, role: .siteManager, at: nil))
        }
    }

    @Test("what was taken is not reached over several accounts, nor by a program")
    func byOthers() async throws {
        try await Scene.with(.sqlite) { scene in
            let siteManager = try await Self.caller(.siteManager, in: scene)
            let pupil = PersonReference(scene.pupil.id)
            let added = try await siteManager.perform(
                AddAPIClient(name: "Script", privileges: [.readPeople, .managePeople, .issuePasswords])
            ).answer.client.clientID
            let client = try #require(try await scene.database.read { try APIClient.find(added, in: $0) })
            let script = scene.administrator(.holder(TokenHolder(.client(client.id), client.privileges)))
            func expect(_ roles: Set<Role>, from administrator: Administrator) async throws {
                for role in Role.allCases where role != .administrator {
                    let change = AddRole(person: pupil, role: role, at: nil)
                    if roles.contains(role) {
                        _ = try await administrator.preview(change)
                    } else {
                        await #expect(throws: OperationError.forbidden(.managePeople), "\(role)") {
                            _ = try await administrator.preview(change)
                        }
                    }
                }
            }
            let all = Set(Role.allCases).subtracting([.administrator])
            try await expect(all, from: siteManager)
            try await expect(all, from: script)

            // A People Manager could make somebody a Device Enrollment Manager.
            let devices = try await scene.operator.perform(
                SetRole(role: .siteManager, take: [.manageDevices]), in: scene.maple)
            let beyond: Set<Role> = [.peopleManager, .deviceEnrollmentManager]
            try await expect(all.subtracting(beyond), from: siteManager)
            try await expect(all.subtracting(beyond), from: script)
            _ = try await scene.operator.undo(try #require(devices.change), in: scene.maple)

            _ = try await scene.operator.perform(SetRole(role: .siteManager, take: [.erasePeople]), in: scene.maple)
            try await expect(all.subtracting([.peopleManager]), from: siteManager)
            try await expect(all.subtracting([.peopleManager]), from: script)
            let lost = try await scene.operator.ask(ListRoles(), in: scene.maple)
                .managementLost(by: SetRole(role: .manager, take: [.issuePasswords]))
            #expect(lost.map(\.role) == [.manager] && lost.map(\.managed) == [.instructor])
        }
    }

    @Test("the passwords of a job are not read by whoever gives none any more")
    func jobs() async throws {
        try await Scene.with(.sqlite) { scene in
            let siteManager = try await Self.caller(.siteManager, in: scene)
            let job = try await siteManager.begin(IssuePasswords(role: .student))
            try await JobWorker(database: scene.database, services: scene.services).work()
            let before = try await siteManager.job(job, of: IssuePasswords.self)
            #expect(before.answer?.people.isEmpty == false)
            _ = try await scene.operator.perform(SetRole(role: .siteManager, take: [.issuePasswords]), in: scene.maple)
            await #expect(throws: OperationError.forbidden(.issuePasswords)) {
                try await siteManager.job(job, of: IssuePasswords.self)
            }
        }
    }

    @Test("what is fixed, named twice or of no role here is refused, and changes nothing")
    func refused() async throws {
        try await Scene.with(.sqlite) { scene in
            let before = try await scene.state()
            let wrong: [SetRole] = [
                SetRole(role: .administrator, take: [.readAudit]), SetRole(role: .student, give: [.readPeople]),
                SetRole(role: .peopleManager, give: [.shareData]), SetRole(role: .manager, take: [.readPeople]),
                SetRole(role: .manager, give: [.operateServer]), SetRole(role: .siteManager, give: [.manageApps]),
                SetRole(role: .manager, give: [.readAudit], take: [.readAudit]),
            ]
            for change in wrong {
                let error = await #expect(throws: OperationError.self) {
                    try await scene.operator.perform(change, in: scene.maple)
                }
                guard case .invalid(let field, _) = error else {
                    Issue.record("\(change): \(String(describing: error))")
                    continue
                }
                #expect(["list “give”", "list “take”"].contains(field))
            }
            // What is so already changes nothing, and is no error.
            let same = try await scene.operator.perform(SetRole(role: .manager, give: [.managePeople]), in: scene.maple)
            #expect(same.effects.isEmpty && same.change == nil)
            #expect(try await scene.state() == before)
        }
    }

    @Test("a program changes no role, and keeps what it was given when the role of who gave it loses that")
    func programs() async throws {
        try await Scene.with(.sqlite) { scene in
            let siteManager = try await Self.caller(.siteManager, in: scene)
            let added = try await siteManager.perform(
                AddAPIClient(name: "Script", privileges: [.manageOrganization, .readAudit])
            ).answer.client.clientID
            let client = try #require(try await scene.database.read { try APIClient.find(added, in: $0) })
            let script = scene.administrator(.holder(TokenHolder(.client(client.id), client.privileges)))
            await #expect(throws: OperationError.forbidden(.manageOrganization)) {
                try await script.perform(SetRole(role: .manager, take: [.manageClasses]))
            }
            _ = try await scene.operator.perform(SetRole(role: .siteManager, take: [.readAudit]), in: scene.maple)
            await #expect(throws: OperationError.forbidden(.readAudit)) { try await siteManager.ask(ListAudit()) }
            _ = try await script.ask(ListAudit())
            let roles = try await script.ask(ListRoles()).roles
            let isFree = roles.allSatisfy { $0.choices.isEmpty }
            #expect(isFree)
        }
    }

    @Test("whoever manages devices by a changed role makes codes for those alone who may do no more")
    func deviceCodes() async throws {
        try await Scene.with(.sqlite) { scene in
            let (manager, pupil) = (try await Self.caller(.manager, in: scene), PersonReference(scene.pupil.id))
            let teacher = try await scene.holder(of: .instructor, at: scene.school.location.id)
            let siteManager = try await scene.holder(of: .siteManager, at: nil)
            await #expect(throws: OperationError.forbidden(.manageDevices)) {
                try await manager.preview(IssueDeviceCode(person: pupil))
            }
            _ = try await scene.operator.perform(SetRole(role: .manager, give: [.manageDevices]), in: scene.maple)
            for person in [scene.pupil, teacher] {
                _ = try await manager.preview(IssueDeviceCode(person: PersonReference(person.id)))
            }
            await #expect(throws: OperationError.forbidden(.manageDevices)) {
                try await manager.preview(IssueDeviceCode(person: PersonReference(siteManager.id)))
            }
            // A teacher may give passwords, and this Manager may not any more.
            _ = try await scene.operator.perform(SetRole(role: .manager, take: [.issuePasswords]), in: scene.maple)
            await #expect(throws: OperationError.forbidden(.manageDevices)) {
                try await manager.preview(IssueDeviceCode(person: PersonReference(teacher.id)))
            }
        }
    }

    @Test("whoever has seen the role otherwise is told, and overwrites nothing")
    func versions() async throws {
        try await Scene.with(.sqlite) { scene in
            let seen = try #require(
                try await scene.operator.ask(ListRoles(), in: scene.maple).roles.first { $0.role == .manager }
            ).version
            let first = try await scene.operator.perform(
                SetRole(role: .manager, take: [.manageClasses]), in: scene.maple, ifVersion: seen)
            await #expect(throws: OperationError.stale(version: first.answer.version)) {
                try await scene.operator.perform(
                    SetRole(role: .manager, give: [.readAudit]), in: scene.maple, ifVersion: seen)
            }
        }
    }

    @Test("a teacher without passwords keeps the own classes, and gives none")
    func teachers() async throws {
        try await Scene.with(.sqlite) { scene in
            let teacher = try await Self.caller(.instructor, in: scene)
            #expect(try await teacher.standing().isTeachers)
            _ = try await scene.operator.perform(SetRole(role: .instructor, take: [.issuePasswords]), in: scene.maple)
            let standing = try await teacher.standing()
            #expect(standing.isTeachers && standing.privileges.intersection(Privilege.ofOrganizations) == [.readPeople])
            // A Manager with as little is no teacher.
            _ = try await scene.operator.perform(
                SetRole(role: .manager, take: [.managePeople, .issuePasswords, .manageClasses]), in: scene.maple)
            #expect(try await !Self.caller(.manager, in: scene).standing().isTeachers)
        }
    }

    @Test("whoever has lost a privilege with their role is not written to about what needs it")
    func letters() async throws {
        try await Scene.with(.sqlite) { scene in
            let organization = scene.school.organization.id
            let now = scene.school.fixed.now
            let siteManager = try await scene.holder(of: .siteManager, at: nil)
            func holders() async throws -> [PersonID] {
                try await scene.database.read {
                    try Privilege.importRoster.holders(in: organization, at: now, $0).map(\.id)
                }
            }
            #expect(try await holders().contains(siteManager.id))
            _ = try await scene.operator.perform(SetRole(role: .siteManager, take: [.importRoster]), in: scene.maple)
            #expect(try await !holders().contains(siteManager.id))
        }
    }
}
