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

    private func payload(_ uuid: String, realm: String? = nil, _ patterns: String...) -> PayloadPlace {
        PayloadPlace(
            uuid: uuid, extensionIdentifier: "test.acme.ext", teamIdentifier: "TEAM", realm: realm, patterns: patterns)
    }

    private func begin(
        _ wakes: inout Wakes, at seconds: TimeInterval = 0, where canBeAsked: (String) -> Bool = { _ in true }
    ) -> [Wakes.Call] {
        wakes.begin(at: Self.now + seconds, where: canBeAsked)
    }

    /// What is begun, as `uuid reason`.
    private func said(_ calls: [Wakes.Call]) -> [String] { calls.map { "\($0.uuid) \($0.reason)" } }

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
        #expect(begin(&wakes, at: 59) == [])
        let first = begin(&wakes, at: 60)
        #expect(said(first) == ["a time"])
        // It is used up by the answer, so that a broker that ends before that loses nothing.
        try wakes.save()
        var other = Wakes(stateFolder: folder)
        #expect(said(begin(&other, at: 60)) == ["a time"])
        // One at a time.
        #expect(begin(&wakes, at: 60) == [] && wakes.next { _ in true } == Self.now + 90)
        wakes.end(first[0], isAnswered: true, now: Self.now + 61)
        #expect(wakes.wishes["a"] == nil)
        let second = begin(&wakes, at: 90)
        #expect(said(second) == ["b time"])
        wakes.end(second[0], isAnswered: true, now: Self.now + 90)
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
        let calls = begin(&wakes, at: 60)
        take(ExtensionWake(at: Self.now + 600), of: "a", &wakes)
        wakes.end(calls[0], isAnswered: true, now: Self.now + 60)
        #expect(wakes.wishes["a"]?.at == Self.now + 600)
    }

    @Test func `whoever does not answer is asked again after five minutes, for the same reason`() {
        var wakes = Wakes(stateFolder: folder())
        take(ExtensionWake(at: Self.now + 60), of: "a", &wakes)
        take(ExtensionWake(at: Self.now + 9000, isForNetwork: true), of: "b", &wakes)
        wakes.networkMayBeUp(now: Self.now + 60)
        let calls = begin(&wakes, at: 60)
        #expect(said(calls) == ["a time", "b network"])
        for call in calls { wakes.end(call, isAnswered: false, now: Self.now + 60) }
        // Its own time stays.
        #expect(wakes.wishes["b"]?.at == Self.now + 9000)
        #expect(begin(&wakes, at: 359) == [] && wakes.next { _ in true } == Self.now + 360)
        let again = begin(&wakes, at: 360)
        #expect(said(again) == ["a time", "b network"])
        for call in again { wakes.end(call, isAnswered: true, now: Self.now + 360) }
        #expect(wakes.next { _ in true } == Self.now + 9000)
        // A network is a reason at once, whatever was in vain.
        wakes.networkMayBeUp(now: Self.now + 400)
        let third = begin(&wakes, at: 400)
        wakes.end(third[0], isAnswered: false, now: Self.now + 400)
        wakes.networkMayBeUp(now: Self.now + 401)
        #expect(said(begin(&wakes, at: 401)) == ["b network"])
    }

    @Test func `a network and a time that come together are one call`() {
        var wakes = Wakes(stateFolder: folder())
        take(ExtensionWake(at: Self.now + 60, isForNetwork: true), of: "a", &wakes)
        wakes.networkMayBeUp(now: Self.now + 60)
        let calls = begin(&wakes, at: 60)
        #expect(said(calls) == ["a network"])
        wakes.end(calls[0], isAnswered: false, now: Self.now + 60)
        #expect(begin(&wakes, at: 359) == [])
        let again = begin(&wakes, at: 360)
        #expect(said(again) == ["a network"])
        wakes.end(again[0], isAnswered: true, now: Self.now + 360)
        #expect(begin(&wakes, at: 9000) == [] && wakes.forNetwork == ["a"])
    }

    @Test func `a network that was missed is told later, to those who still want to know`() {
        var wakes = Wakes(stateFolder: folder())
        for uuid in ["a", "b", "c"] { take(ExtensionWake(isForNetwork: true), of: uuid, &wakes) }
        wakes.networkMayBeUp(now: Self.now)
        // Their program is missing.
        #expect(begin(&wakes) { _ in false } == [] && wakes.next { _ in false } == nil)
        take(ExtensionWake(), of: "a", &wakes)
        take(ExtensionWake(at: Self.now + 60), of: "b", &wakes)
        #expect(wakes.next { _ in true } == Self.now && said(begin(&wakes)) == ["c network"])
        // One that comes meanwhile is told after that.
        wakes.networkMayBeUp(now: Self.now + 1)
        #expect(begin(&wakes, at: 1) == [])
    }

    @Test func `times are neither too near nor too far, and a clock that is set back loses none`() {
        var wakes = Wakes(stateFolder: folder())
        take(ExtensionWake(at: Self.now - 99), of: "a", &wakes)
        #expect(wakes.next { _ in true } == Self.now + 5)
        take(ExtensionWake(at: .distantFuture), of: "a", &wakes)
        #expect(wakes.next { _ in true } == Self.now + 30 * 86_400)
        #expect(said(begin(&wakes, at: -86_400)) == ["a time"])
    }

    @Test func `what cannot be written counts from memory, and is written when there is room`() throws {
        let folder = folder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        // No folder can be made there.
        try Data().write(to: URL(filePath: folder))
        var wakes = Wakes(stateFolder: folder)
        take(ExtensionWake(at: Self.now + 60, isForNetwork: true), of: "a", &wakes)
        #expect(throws: (any Error).self) { try wakes.save() }
        #expect(wakes.isUnsaved && wakes.next { _ in true } == Self.now + 60 && wakes.forNetwork == ["a"])
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

    @Test func `a wish of a redirect payload goes to new payloads for its URLs alone`() {
        var wakes = Wakes(stateFolder: folder())
        let (staff, pupils) = ("https://id.acme.test/staff/", "https://id.acme.test/pupils/")
        let (old, there) = (payload("old", staff), payload("there", pupils, staff))
        wakes.keep([old, there])
        let wish = ExtensionWake(at: Self.now + 60, isForNetwork: true)
        wakes.take(wish, of: old, now: Self.now)
        wakes.networkMayBeUp(now: Self.now)
        // What was there before has named no wish, and one for something else is no heir.
        wakes.keep([there, payload("new", staff), payload("else", "https://other.acme.test/")])
        #expect(wakes.wishes == ["new": wish] && said(begin(&wakes)) == ["new network"])
        // Where part of what it covered is lost, the extension is told so and starts anew.
        wakes.keep([payload("newer", pupils)])
        #expect(wakes.wishes.isEmpty)
    }

    @Test func `what is named while the payload is being replaced is not lost, and nobody is asked twice`() {
        var wakes = Wakes(stateFolder: folder())
        let old = payload("old", realm: "A.TEST")
        wakes.keep([old])
        wakes.take(ExtensionWake(at: Self.now + 60, isForNetwork: true), of: old, now: Self.now)
        let calls = begin(&wakes, at: 60)
        wakes.keep([payload("new", realm: "A.TEST")])
        #expect(begin(&wakes, at: 61) == [])
        var silent = wakes
        wakes.take(ExtensionWake(at: Self.now + 600), of: old, now: Self.now)
        wakes.end(calls[0], isAnswered: true, now: Self.now + 62)
        #expect(wakes.wishes == ["new": ExtensionWake(at: Self.now + 600)])
        #expect(said(begin(&wakes, at: 600)) == ["new time"])
        // Without a word it is used up, and without an answer it is tried again.
        var failed = silent
        silent.end(calls[0], isAnswered: true, now: Self.now + 62)
        #expect(silent.wishes == ["new": ExtensionWake(isForNetwork: true)])
        failed.end(calls[0], isAnswered: false, now: Self.now + 62)
        #expect(said(begin(&failed, at: 362)) == ["new time"])
        // Nothing has come in its place.
        wakes.keep([])
        wakes.take(ExtensionWake(isForNetwork: true), of: old, now: Self.now)
        #expect(wakes.wishes.isEmpty)
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
        wakes = Wakes(stateFolder: folder)
        #expect(wakes.forNetwork == ["a"])
        // It learns what they cover as soon as that is known.
        wakes.keep([payload("a", realm: "A.TEST")])
        #expect(wakes.isUnsaved)
        wakes.keep([payload("new", realm: "A.TEST")])
        #expect(wakes.forNetwork == ["new"])
    }
}
