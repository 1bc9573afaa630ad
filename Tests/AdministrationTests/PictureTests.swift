import Administration
import AdministrationExamples
import Directory
import Dispatch
import Fixtures
import Storage
import TestSupport
import Testing

/// Pictures on badges, and names of apps in several languages.
@Suite struct PictureTests {
    private static let quizzler = Example.quizzler

    @Test("a picture is put on a badge, replaced and taken back exactly", arguments: TestDatabase.available)
    func undo(_ kind: TestDatabase) async throws {
        try await Scene.with(kind) { scene in
            let none = try await scene.operator.ask(ShowOrganization())
            #expect(none.pictureID == nil)
            let blue = try await scene.operator.perform(SetPicture(picture: SamplePNG(64, 64).file), in: scene.maple)
            #expect(blue.effects.map(\.detail) == ["picture"] && blue.answer.version != none.version)
            let same = try await scene.operator.perform(SetPicture(picture: SamplePNG(64, 64).file), in: scene.maple)
            #expect(same.effects.isEmpty && same.answer == blue.answer)
            let red = try await scene.operator.perform(
                SetPicture(picture: SamplePNG(64, 64, colour: [200, 0, 0, 90]).file), in: scene.maple)
            #expect(red.answer.pictureID != blue.answer.pictureID)
            _ = try await scene.operator.undo(try #require(red.change))
            #expect(try await scene.operator.ask(ShowOrganization()) == blue.answer)
            _ = try await scene.operator.undo(try #require(blue.change))
            #expect(try await scene.operator.ask(ShowOrganization()) == none)
        }
    }

    @Test("a file that is no picture is refused, also by a preview, and so is one for an older version")
    func refusals() async throws {
        try await Scene.with(.sqlite) { scene in
            let seen = try await scene.operator.ask(ShowOrganization()).version
            let before = try await scene.state()
            let script = SetPicture(picture: .init("<svg onload='alert(1)'/>".utf8))
            let refusal = OperationError.invalid(
                field: "picture", reason: "is not a PNG file. Open it in a program for pictures, and save it as PNG")
            await #expect(throws: refusal) { try await scene.operator.perform(script, in: scene.maple) }
            await #expect(throws: refusal) { try await scene.operator.preview(script, in: scene.maple) }
            #expect(try await scene.state() == before)
            _ = try await scene.operator.perform(SetOrganization.plum, in: scene.maple)
            await #expect(throws: OperationError.self) {
                try await scene.operator.perform(
                    SetPicture(picture: SamplePNG(64, 64).file), in: scene.maple, ifVersion: seen)
            }
        }
    }

    @Test("a picture is decoded before the transaction, also for a preview")
    func outsideOfTheTransaction() async throws {
        try await Scene.with(.sqlite) { scene in
            _ = try await scene.school.insertApp()
            let isFree = DispatchSemaphore(value: 0)
            let (begun, began) = AsyncStream<Void>.makeStream()
            // This transaction keeps the only one that writes, until it is freed or 20 seconds are over. A preview that
            // needed to write would have to wait for it.
            async let wasFreed = scene.database.write { _ in
                began.yield()
                return isFree.wait(timeout: .now() + 20) == .success
            }
            for await _ in begun { break }
            let damaged = SamplePNG(64, 64).file.prefix(100)
            let reason = "cannot be read: the file is damaged"
            await #expect(throws: OperationError.invalid(field: "picture", reason: reason)) {
                try await scene.operator.preview(SetPicture(picture: damaged), in: scene.maple)
            }
            await #expect(throws: OperationError.invalid(field: "icon", reason: reason)) {
                try await scene.operator.preview(SetAppIcon(app: Self.quizzler, icon: damaged))
            }
            isFree.signal()
            #expect(try await wasFreed)
            let preview = try await scene.operator.preview(
                SetPicture(picture: SamplePNG(64, 64).file), in: scene.maple)
            #expect(preview.effects.map(\.detail) == ["picture"])
        }
    }

    @Test("an app gets an icon and names, and loses them again", arguments: TestDatabase.available)
    func app(_ kind: TestDatabase) async throws {
        try await Scene.with(kind) { scene in
            _ = try await scene.school.insertApp()
            let before = try await scene.operator.ask(ShowApp(app: Self.quizzler))
            let icon = try await scene.operator.perform(SetAppIcon(app: Self.quizzler, icon: SamplePNG(64, 64).file))
            #expect(icon.answer.iconID != nil && icon.answer.version != before.version)
            var change = SetApp(app: Self.quizzler)
            change.localizedNames = [.init(language: "ko", name: "퀴즐러"), .init(language: "ja", name: " クイズラー ")]
            let named = try await scene.operator.perform(change)
            #expect(named.effects.map(\.detail) == ["names in other languages"])
            #expect(
                named.answer.localizedNames == [
                    .init(language: "ja", name: "クイズラー"), .init(language: "ko", name: "퀴즐러"),
                ])
            for wrong in [
                [LocalizedName(language: "tlh", name: "x")], [.init(language: "ja", name: "  ")],
                [.init(language: "ja", name: "a"), .init(language: "ja", name: "b")],
            ] {
                change.localizedNames = wrong
                await #expect(throws: (any Error).self) { try await scene.operator.perform(change) }
            }
            _ = try await scene.operator.undo(try #require(named.change))
            _ = try await scene.operator.undo(try #require(icon.change))
            #expect(try await scene.operator.ask(ShowApp(app: Self.quizzler)) == before)
        }
    }
}
