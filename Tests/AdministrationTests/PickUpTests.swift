import AdministrationExamples
import Directory
import Fixtures
import Foundation
import Ground
import RosterFiles
import Storage
import TestSupport
import Testing

@testable import Administration

@Suite struct PickUpTests {
    /// A folder for all pick-ups, with the one of the first.
    private static func withFolder(_ body: (_ all: String, _ files: String) async throws -> Void) async throws {
        let all = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString).path
        let files = "\(all)/lanyard-drop-1/files"
        try FileManager.default.createDirectory(atPath: files, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: all) }
        try await body(all, files)
    }

    /// Files that nobody has written to for an hour.
    private static func put(_ texts: RosterTexts, into folder: String, at now: Date) throws {
        for (name, lines) in texts.files {
            try put(lines.joined(separator: "\n") + "\n", as: name, into: folder, at: now)
        }
    }

    private static func put(_ text: String, as name: String, into folder: String, at now: Date) throws {
        let path = "\(folder)/\(name)"
        try Data(text.utf8).write(to: URL(filePath: path))
        try FileManager.default.setAttributes(
            [.modificationDate: now.addingTimeInterval(-3_600)], ofItemAtPath: path)
    }

    private static func sweep(_ scene: Scene, _ folder: String) -> PickUpSweep {
        PickUpSweep(database: scene.database, services: Scene.services(of: scene.school, pickUpFolder: folder))
    }

    @Test("files of a folder are imported at its hour, once, by the server itself", arguments: TestDatabase.available)
    func reads(_ kind: TestDatabase) async throws {
        try await Scene.with(kind) { scene in
            try await Self.withFolder { all, files in
                _ = try await scene.operator.perform(SetPickUp(hour: 2), in: scene.maple)
                try Self.put(RosterTexts(), into: files, at: scene.school.fixed.now)
                // Not before its hour.
                try await Self.sweep(scene, all).run()
                #expect(try await scene.operator.ask(ListImports(), in: scene.maple).imports.isEmpty)
                scene.school.fixed.advance(by: 86_400)
                try await Self.sweep(scene, all).run()
                let imports = try await scene.operator.ask(ListImports(), in: scene.maple).imports
                #expect(imports.count == 1)
                let shown = try await scene.operator.ask(ShowPickUp(pickUp: 1), in: scene.maple)
                #expect(shown.pickUp.outcome == .applied && shown.last?.report?.importID == Int(imports[0].number))
                #expect(shown.pickUp.dueAt > scene.school.fixed.now)
                let actors = try await scene.operator.ask(
                    ListAudit(action: "roster.imported"), in: scene.maple
                ).entries.map(\.actor)
                #expect(actors == ["system"])
                scene.school.fixed.advance(by: 86_400)
                try await Self.sweep(scene, all).run()
                #expect(
                    try await scene.operator.ask(ShowPickUp(pickUp: 1), in: scene.maple).pickUp.outcome == .nothingToDo)
            }
        }
    }

    @Test("what is no plain file of a roster is not read, and nothing is changed")
    func refusals() async throws {
        try await Scene.with(.sqlite) { scene in
            try await Self.withFolder { all, files in
                _ = try await scene.operator.perform(SetPickUp(hour: 2), in: scene.maple)
                func outcome() async throws -> (RosterPickUp.Outcome?, String?) {
                    scene.school.fixed.advance(by: 86_400)
                    try await Self.sweep(scene, all).run()
                    let shown = try await scene.operator.ask(ShowPickUp(pickUp: 1), in: scene.maple)
                    return (shown.pickUp.outcome, shown.last?.problem)
                }
                #expect(try await outcome().0 == .missing)
                // A link to what only the server may read.
                let secret = "\(all)/secret.csv"
                try Self.put("person_id\n", as: "secret.csv", into: all, at: scene.school.fixed.now)
                try FileManager.default.createSymbolicLink(
                    atPath: "\(files)/students.csv", withDestinationPath: secret)
                let linked = try await outcome()
                #expect(linked.0 == .unreadable && linked.1?.contains("students.csv") == true)
                try FileManager.default.removeItem(atPath: "\(files)/students.csv")
                #expect(mkfifo("\(files)/staff.csv", 0o600) == 0)
                #expect(try await outcome().0 == .unreadable)
                try FileManager.default.removeItem(atPath: "\(files)/staff.csv")
                try Self.put("a,b\n", as: "holiday.csv", into: files, at: scene.school.fixed.now)
                let foreign = try await outcome()
                #expect(foreign.0 == .unreadable && foreign.1?.contains("holiday.csv") == true)
                try FileManager.default.removeItem(atPath: "\(files)/holiday.csv")
                var texts = RosterTexts()
                texts.students[1] = "S-2,NOWHERE,Bo,Berg,,,4,,,"
                try Self.put(texts, into: files, at: scene.school.fixed.now)
                #expect(try await outcome().0 == .defective)
                let last = try await scene.operator.ask(ShowPickUp(pickUp: 1), in: scene.maple)
                #expect(last.pickUp.errors > 0 && last.last?.report?.defects.isEmpty == false)
                #expect(try await scene.operator.ask(ListImports(), in: scene.maple).imports.isEmpty)
            }
        }
    }

    @Test("the folder of a school that was archived is given up like any other, and none is set up for it")
    func archivedSchool() async throws {
        try await Scene.with(.sqlite) { scene in
            let school = LocationReference(scene.annex.id)
            let set = try await scene.operator.perform(SetPickUp(school: school, hour: 2), in: scene.maple).answer
            try await scene.database.write {
                _ = try $0.execute(
                    "UPDATE location SET archived_at = $2 WHERE id = $1", [scene.annex.id, scene.school.fixed.now])
            }
            let removed = try await scene.operator.perform(RemovePickUp(pickUp: set.pickUp), in: scene.maple)
            let before = try await scene.state()
            let number = try #require(removed.change)
            for attempt: @Sendable () async throws -> Void in [
                { _ = try await scene.operator.undo(number) },
                { _ = try await scene.operator.perform(SetPickUp(school: school, hour: 3), in: scene.maple) },
                {
                    _ = try await scene.operator.perform(
                        SetPickUp(school: LocationReference("Annex"), hour: 3), in: scene.maple)
                },
            ] {
                let error = await #expect(throws: OperationError.self) { try await attempt() }
                #expect(error?.description.contains("Annex was removed") == true)
            }
            #expect(try await scene.state() == before)
        }
    }

    @Test("files that are still being written are waited for")
    func unfinished() async throws {
        try await Scene.with(.sqlite) { scene in
            try await Self.withFolder { all, files in
                _ = try await scene.operator.perform(SetPickUp(hour: 2), in: scene.maple)
                scene.school.fixed.advance(by: 86_400)
                try Self.put(RosterTexts(), into: files, at: scene.school.fixed.now)
                try Self.put("", as: "rosters.csv.part", into: files, at: scene.school.fixed.now)
                try await Self.sweep(scene, all).run()
                #expect(try await scene.operator.ask(ShowPickUp(pickUp: 1), in: scene.maple).pickUp.readAt == nil)
                try FileManager.default.removeItem(atPath: "\(files)/rosters.csv.part")
                try FileManager.default.setAttributes(
                    [.modificationDate: scene.school.fixed.now.addingTimeInterval(-5)],
                    ofItemAtPath: "\(files)/staff.csv")
                scene.school.fixed.advance(by: 50)
                try await Self.sweep(scene, all).run()
                #expect(try await scene.operator.ask(ShowPickUp(pickUp: 1), in: scene.maple).pickUp.readAt == nil)
                scene.school.fixed.advance(by: 120)
                try await Self.sweep(scene, all).run()
                #expect(try await scene.operator.ask(ShowPickUp(pickUp: 1), in: scene.maple).pickUp.outcome == .applied)
            }
        }
    }

    @Test(
        "what is still being written hours later was left behind, and is told of each day",
        arguments: TestDatabase.available)
    func leftBehind(_ kind: TestDatabase) async throws {
        try await Scene.with(kind) { scene in
            try await Self.withFolder { all, files in
                _ = try await scene.operator.perform(SetPickUp(hour: 2), in: scene.maple)
                func sweep(after seconds: TimeInterval) async throws -> ShowPickUp.Answer {
                    scene.school.fixed.advance(by: seconds)
                    try await Self.sweep(scene, all).run()
                    return try await scene.operator.ask(ShowPickUp(pickUp: 1), in: scene.maple)
                }
                try Self.put(RosterTexts(), into: files, at: scene.school.fixed.now)
                #expect(try await sweep(after: 86_400).pickUp.outcome == .applied)
                try Self.put("", as: "rosters.csv.part", into: files, at: scene.school.fixed.now)
                // Not at once, although the server may have been off at its hour.
                #expect(try await sweep(after: 3 * 86_400).pickUp.outcome == .applied)
                #expect(try await sweep(after: 60).pickUp.outcome == .applied)
                #expect(try await sweep(after: PickUpSweep.patience - 61).pickUp.outcome == .applied)
                let left = try await sweep(after: 60)
                #expect(left.pickUp.outcome == .unfinished && left.pickUp.dueAt > scene.school.fixed.now)
                #expect(left.last?.problem == "By its name, “rosters.csv.part” is still being sent.")
                let findings = try await scene.operator.ask(ListFindings(), in: scene.maple).findings
                #expect(findings.contains { $0.kind == .pickUpFailed })

                // A clock that is ahead is told of as well.
                try FileManager.default.removeItem(atPath: "\(files)/rosters.csv.part")
                try FileManager.default.setAttributes(
                    [.modificationDate: scene.school.fixed.now.addingTimeInterval(365 * 86_400)],
                    ofItemAtPath: "\(files)/staff.csv")
                _ = try await sweep(after: 86_400)
                let ahead = try await sweep(after: PickUpSweep.patience)
                #expect(ahead.pickUp.outcome == .unfinished)
                #expect(ahead.last?.problem?.hasPrefix("“staff.csv” was changed") == true)
                try Self.put(RosterTexts(), into: files, at: scene.school.fixed.now)
                #expect(try await sweep(after: 86_400).pickUp.outcome == .nothingToDo)
            }
        }
    }

    @Test("files that are larger than an import reads are refused by their size, also those that are mostly holes")
    func holes() async throws {
        try await Scene.with(.sqlite) { scene in
            try await Self.withFolder { all, files in
                _ = try await scene.operator.perform(SetPickUp(hour: 2), in: scene.maple)
                try Self.put("person_id\n", as: "students.csv", into: files, at: scene.school.fixed.now)
                #expect(truncate("\(files)/students.csv", 4 << 30 + 1) == 0)
                scene.school.fixed.advance(by: 86_400)
                try FileManager.default.setAttributes(
                    [.modificationDate: scene.school.fixed.now.addingTimeInterval(-3_600)],
                    ofItemAtPath: "\(files)/students.csv")
                try await Self.sweep(scene, all).run()
                let shown = try await scene.operator.ask(ShowPickUp(pickUp: 1), in: scene.maple)
                #expect(shown.pickUp.outcome == .unreadable)
                #expect(shown.last?.problem == "The files are larger than 4096 MB together.")
            }
        }
    }

    @Test("what fails while a folder is read is noted, and does not stay what came of the last good night")
    func failures() async throws {
        try await Scene.with(.sqlite) { scene in
            try await Self.withFolder { all, files in
                _ = try await scene.operator.perform(SetPickUp(hour: 2), in: scene.maple)
                try Self.put(RosterTexts(), into: files, at: scene.school.fixed.now)
                try await scene.database.write {
                    try $0.execute(
                        """
                        CREATE TRIGGER fails BEFORE INSERT ON person
                        BEGIN SELECT RAISE(ABORT, 'the disk is full'); END
                        """)
                }
                scene.school.fixed.advance(by: 86_400)
                _ = try? await Self.sweep(scene, all).run()
                let shown = try await scene.operator.ask(ShowPickUp(pickUp: 1), in: scene.maple)
                #expect(shown.pickUp.outcome == .unreadable && shown.last?.problem != nil)
                #expect(shown.pickUp.dueAt > scene.school.fixed.now)
                // It is over until the next day.
                try await Self.sweep(scene, all).run()
            }
        }
    }

    @Test(
        "what is asked for or set while a folder is read counts when that is over", arguments: TestDatabase.available)
    func meanwhile(_ kind: TestDatabase) async throws {
        try await Scene.with(kind) { scene in
            func due() async throws -> Date {
                try await scene.operator.ask(ShowPickUp(pickUp: 1), in: scene.maple).pickUp.dueAt
            }
            func read(while change: () async throws -> Void) async throws {
                scene.school.fixed.advance(by: 86_400)
                let now = scene.school.fixed.now
                let taken = try #require(try await scene.database.write { try RosterPickUp.take(at: now, in: $0) })
                try await change()
                try await scene.database.write {
                    try taken.note(.nothingToDo, errors: 0, report: nil, at: now.addingTimeInterval(5), in: $0)
                }
            }
            _ = try await scene.operator.perform(SetPickUp(hour: 2), in: scene.maple)
            try await read {}
            #expect(try await due() == RosterPickUp.next(2, after: scene.school.fixed.now))
            // In the second in which it was taken, and later.
            for seconds in [0.0, 3] {
                try await read {
                    scene.school.fixed.advance(by: seconds)
                    _ = try await scene.operator.perform(ReadPickUp(pickUp: 1), in: scene.maple)
                }
                #expect(try await due() <= scene.school.fixed.now)
            }
            try await read {
                _ = try await scene.operator.perform(SetPickUp(hour: 14), in: scene.maple)
            }
            #expect(try await due() == RosterPickUp.next(14, after: scene.school.fixed.now))
        }
    }

    @Test("whoever takes it back that a folder is removed is told that it is another one")
    func anotherFolder() async throws {
        try await Scene.with(.sqlite) { scene in
            _ = try await scene.operator.perform(SetPickUp(hour: 2), in: scene.maple)
            let removed = try await scene.operator.perform(RemovePickUp(pickUp: 1), in: scene.maple)
            #expect(removed.effects.map(\.detail).first?.hasSuffix("another account and folder") == true)
            let effects = try await scene.operator.undo(try #require(removed.change), in: scene.maple)
            #expect(
                effects.map(\.detail) == ["pick-up at 2:00, with an account and a folder of its own that are new"])
            let left = try await scene.operator.ask(ListPickUps(), in: scene.maple).pickUps
            #expect(left.map(\.account) == ["lanyard-drop-2"])
            let changed = try await scene.operator.perform(SetPickUp(hour: 3), in: scene.maple)
            #expect(changed.effects.map(\.detail) == ["pick-up at 3:00"])
        }
    }

    @Test("a key is one line as OpenSSH writes it, and nothing that a shell or a file of keys could take for more")
    func keys() throws {
        let key = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIE1MOl3VTQn9nvJxZq3mQz1lq8g5c7Yd0mXK2sEoG0vB"
        #expect(try PublicKeyText("\(key) somebody@school\n").text == key)
        for wrong in [
            "", "ssh-ed25519", "ssh-ed25519 AAAA", "command=\"sh\" \(key)", "ssh-dss \(key.dropFirst(12))",
            "ssh-ed25519 ';reboot;'", "-----BEGIN OPENSSH PRIVATE KEY-----", "ssh-rsa \(key.dropFirst(12))",
        ] {
            #expect(throws: OperationError.self) { try PublicKeyText(wrong) }
        }
        #expect(throws: OperationError.self) {
            try PublicKeyText("ssh-ed25519 \(String(repeating: "A", count: 5_000))")
        }
    }
}
