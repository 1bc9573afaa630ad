import Foundation
import SingleSignOnWire
import Testing

@testable import SingleSignOnBroker

/// docs/specifications/extensible-single-sign-on.md, 19.9.
@Suite struct WakesTests {
    private static let now = Date(timeIntervalSince1970: 1_800_000_000)

    private func folder() -> String {
        FileManager.default.temporaryDirectory.appending(path: "wakes-\(UUID().uuidString.prefix(8))").path
    }

    @Test func `a time comes once, and a wish for networks stays`() throws {
        let folder = folder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        var wakes = Wakes(stateFolder: folder)
        try wakes.take(ExtensionWake(at: Self.now + 60), of: "a", now: Self.now)
        try wakes.take(ExtensionWake(at: Self.now + 90, isForNetwork: true), of: "b", now: Self.now)
        #expect(wakes.next == Self.now + 60)
        #expect(try wakes.takeDue(at: Self.now + 59) == [])
        #expect(try wakes.takeDue(at: Self.now + 60) == ["a"])
        #expect(wakes.wishes["a"] == nil && wakes.next == Self.now + 90)
        #expect(try wakes.takeDue(at: Self.now + 90) == ["b"])
        #expect(wakes.next == nil && wakes.forNetwork == ["b"])
        // Another broker knows it.
        #expect(Wakes(stateFolder: folder).wishes == ["b": ExtensionWake(isForNetwork: true)])
        try wakes.take(ExtensionWake(), of: "b", now: Self.now)
        #expect(wakes.wishes.isEmpty && Wakes(stateFolder: folder).wishes.isEmpty)
    }

    @Test func `times are neither too near nor too far, and a clock that is set back loses none`() throws {
        let folder = folder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        var wakes = Wakes(stateFolder: folder)
        try wakes.take(ExtensionWake(at: Self.now - 99), of: "a", now: Self.now)
        #expect(wakes.next == Self.now + 5)
        try wakes.take(ExtensionWake(at: .distantFuture), of: "a", now: Self.now)
        #expect(wakes.next == Self.now + 30 * 86_400)
        #expect(try wakes.takeDue(at: Self.now - 86_400) == ["a"])
    }

    @Test func `payloads that are not installed are forgotten, and a damaged file is none`() throws {
        let folder = folder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        var wakes = Wakes(stateFolder: folder)
        for uuid in ["a", "b"] { try wakes.take(ExtensionWake(isForNetwork: true), of: uuid, now: Self.now) }
        try wakes.keep(["b", "c"])
        #expect(wakes.forNetwork == ["b"] && Wakes(stateFolder: folder).forNetwork == ["b"])
        try Data("{".utf8).write(to: URL(filePath: "\(folder)/wakes.json"))
        #expect(Wakes(stateFolder: folder).wishes.isEmpty)
    }
}
