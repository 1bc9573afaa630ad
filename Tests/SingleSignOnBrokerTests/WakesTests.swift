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

    private func payload(_ uuid: String, realm: String? = nil) -> Wakes.Payload {
        Wakes.Payload(uuid: uuid, extensionIdentifier: "test.acme.ext", realm: realm)
    }

    private func take(_ wake: ExtensionWake, of uuid: String, _ wakes: inout Wakes) {
        wakes.take(wake, of: payload(uuid), now: Self.now)
    }

    @Test func `a time comes once, and a wish for networks stays`() throws {
        let folder = folder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        var wakes = Wakes(stateFolder: folder)
        take(ExtensionWake(at: Self.now + 60), of: "a", &wakes)
        take(ExtensionWake(at: Self.now + 90, isForNetwork: true), of: "b", &wakes)
        #expect(wakes.next { _ in true } == Self.now + 60 && wakes.next { $0 == "b" } == Self.now + 90)
        #expect(wakes.due(at: Self.now + 59) == [] && wakes.due(at: Self.now + 60) == ["a"])
        // It is used up by the answer, so that a broker that ends before that loses nothing.
        try wakes.save()
        #expect(Wakes(stateFolder: folder).due(at: Self.now + 60) == ["a"])
        wakes.useUp(wakes.wishes["a"], of: "a")
        #expect(wakes.wishes["a"] == nil && wakes.due(at: Self.now + 90) == ["b"])
        wakes.useUp(wakes.wishes["b"], of: "b")
        #expect(wakes.next { _ in true } == nil && wakes.forNetwork == ["b"])
        // Another broker knows it.
        try wakes.save()
        #expect(Wakes(stateFolder: folder).wishes == ["b": ExtensionWake(isForNetwork: true)])
        take(ExtensionWake(), of: "b", &wakes)
        try wakes.save()
        #expect(wakes.wishes.isEmpty && Wakes(stateFolder: folder).wishes.isEmpty)
    }

    @Test func `a time that was named while another one came is not used up with it`() {
        var wakes = Wakes(stateFolder: folder())
        take(ExtensionWake(at: Self.now + 60), of: "a", &wakes)
        let before = wakes.wishes["a"]
        take(ExtensionWake(at: Self.now + 600), of: "a", &wakes)
        wakes.useUp(before, of: "a")
        #expect(wakes.wishes["a"]?.at == Self.now + 600)
    }

    @Test func `times are neither too near nor too far, and a clock that is set back loses none`() {
        var wakes = Wakes(stateFolder: folder())
        take(ExtensionWake(at: Self.now - 99), of: "a", &wakes)
        #expect(wakes.next { _ in true } == Self.now + 5)
        take(ExtensionWake(at: .distantFuture), of: "a", &wakes)
        #expect(wakes.next { _ in true } == Self.now + 30 * 86_400)
        #expect(wakes.due(at: Self.now - 86_400) == ["a"])
    }

    @Test func `what cannot be written counts from memory, and is written when there is room`() throws {
        let folder = folder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        // No folder can be made there.
        try Data().write(to: URL(filePath: folder))
        var wakes = Wakes(stateFolder: folder)
        take(ExtensionWake(at: Self.now + 60, isForNetwork: true), of: "a", &wakes)
        #expect(throws: (any Error).self) { try wakes.save() }
        #expect(wakes.isUnsaved && wakes.due(at: Self.now + 60) == ["a"] && wakes.forNetwork == ["a"])
        try FileManager.default.removeItem(atPath: folder)
        try wakes.save()
        #expect(!wakes.isUnsaved && Wakes(stateFolder: folder).wishes == wakes.wishes)
    }

    @Test func `a wish goes to the payload that takes the place of another one`() throws {
        let folder = folder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        var wakes = Wakes(stateFolder: folder)
        let wish = ExtensionWake(at: Self.now + 60, isForNetwork: true)
        wakes.take(wish, of: payload("old", realm: "A.TEST"), now: Self.now)
        wakes.take(ExtensionWake(isForNetwork: true), of: payload("b", realm: "B.TEST"), now: Self.now)
        try wakes.save()
        // Also where the profile was replaced while no broker ran.
        wakes = Wakes(stateFolder: folder)
        wakes.keep([payload("new", realm: "A.TEST"), payload("c", realm: "C.TEST")])
        #expect(wakes.wishes == ["new": wish])
        try wakes.save()
        #expect(Wakes(stateFolder: folder).wishes == ["new": wish])
        // A wish of its own is not written over.
        wakes.take(ExtensionWake(isForNetwork: true), of: payload("newer", realm: "A.TEST"), now: Self.now)
        wakes.keep([payload("newer", realm: "A.TEST")])
        #expect(wakes.wishes == ["newer": ExtensionWake(isForNetwork: true)])
    }

    @Test func `payloads that are not installed are forgotten, and a damaged file is none`() throws {
        let folder = folder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        var wakes = Wakes(stateFolder: folder)
        for (uuid, realm) in [("a", "A.TEST"), ("b", "B.TEST")] {
            wakes.take(ExtensionWake(isForNetwork: true), of: payload(uuid, realm: realm), now: Self.now)
        }
        wakes.keep([payload("b", realm: "B.TEST"), payload("c", realm: "C.TEST")])
        try wakes.save()
        #expect(wakes.forNetwork == ["b"] && Wakes(stateFolder: folder).forNetwork == ["b"])
        try Data("{".utf8).write(to: URL(filePath: "\(folder)/wakes.json"))
        #expect(Wakes(stateFolder: folder).wishes.isEmpty)
        // An older version wrote no payloads.
        try Data(#"{"wishes":{"a":{"isForNetwork":true}}}"#.utf8).write(to: URL(filePath: "\(folder)/wakes.json"))
        #expect(Wakes(stateFolder: folder).forNetwork == ["a"])
    }
}
