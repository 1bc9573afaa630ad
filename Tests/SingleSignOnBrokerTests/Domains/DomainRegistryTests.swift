@testable import AssociationFiles
import Foundation
import Logging
import NIOHTTP1
import SingleSignOn
@testable import SingleSignOnBroker
import SingleSignOnWire
import Synchronization
import TestCertificates
import Testing

@Suite final class DomainRegistryTests {
    deinit { try? FileManager.default.removeItem(at: place) }

    private let place = FileManager.default.temporaryDirectory.appendingPathComponent("lanyard-\(UUID())")
    private let clock = TestClock()
    private let domains = FakeDomains()

    private var file: String { place.appendingPathComponent("state/domains.json").path }

    private func registry(_ domains: FakeDomains? = nil) -> DomainRegistry {
        DomainRegistry(
            file: DomainRecordFile(path: file, rules: "test"), fetch: (domains ?? self.domains).fetch, now: clock.now,
            sleep: clock.sleep, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    }

    private func claim(
        _ host: String, by domain: String?, team: String = "ACME123456", app: String = "test.acme.signin"
    ) -> DomainRegistry.Claim {
        DomainRegistry.Claim(
            identity: ExtensionIdentity(
                teamIdentifier: team, extensionIdentifier: "\(app).extension", hostAppIdentifier: app,
                associatedDomains: [], acceptsManagedDomains: true),
            host: host, domain: domain.map { .test($0) })
    }

    private func holds(_ registry: DomainRegistry, _ host: String, team: String = "ACME123456") -> Bool {
        registry.holds(extension: "test.acme.signin.extension", team: team, host: host)
    }

    /// Waits until the domain's answer counts. The registry may sleep until the next one is due before it has come.
    private func hasAgreed(_ host: String, in registry: DomainRegistry) async {
        while !holds(registry, host) { await Task.yield() }
    }

    @Test func `a profile and the domain's word together turn an extension on`() async throws {
        let file = ProfileDescription(
            identifier: "test.acme.sso", extensionIdentifier: "test.acme.signin.extension",
            teamIdentifier: "ACME123456", hostAppIdentifier: "test.acme.signin",
            urls: ["https://id.acme.test/realms/", "https://id.acme.test/login", "https://saml.acme.test"]
        ).profile.xml
        let store = ProfileStore(
            .init(device: "/nowhere", user: place.appendingPathComponent("profiles").path, policy: "/nowhere"),
            allowsUserProfiles: true)
        try store.install(file, into: .user)
        func claims(acceptsManaged: Bool, isInstalled: Bool = true) -> [DomainRegistry.Claim] {
            DomainRegistry.Claim.all(in: store.load()) { payload in
                guard isInstalled else { return nil }
                return ExtensionIdentity(
                    teamIdentifier: "ACME123456", extensionIdentifier: payload.extensionIdentifier,
                    hostAppIdentifier: "test.acme.signin", associatedDomains: [],
                    acceptsManagedDomains: acceptsManaged)
            }
        }
        #expect(claims(acceptsManaged: true, isInstalled: false).isEmpty)
        // An app that does not accept domains from profiles claims none of them.
        #expect(claims(acceptsManaged: false).map(\.domain) == [nil, nil])
        let unclaimed = self.registry()
        unclaimed.update(claims(acceptsManaged: false))
        #expect(unclaimed.entries().allSatisfy { $0.reason?.contains("acceptsManagedDomains") == true })

        let registry = registry()
        registry.update(claims(acceptsManaged: true))
        #expect(registry.entries().map(\.host) == ["id.acme.test", "saml.acme.test"])
        #expect(!holds(registry, "id.acme.test"))
        domains.answers(["id.acme.test": .file("ACME123456.test.acme.signin")])
        await registry.refresh()
        #expect(holds(registry, "id.acme.test") && !holds(registry, "saml.acme.test"))
        try store.remove(identifier: "test.acme.sso", from: .user)
        registry.update(claims(acceptsManaged: true))
        #expect(!holds(registry, "id.acme.test"))
    }

    @Test func `only a domain that has agreed to the app holds, for that team, app and host alone`() async {
        domains.answers(["id.acme.test": .file("ACME123456.test.acme.signin")])
        let registry = registry()
        registry.update([
            claim("id.acme.test", by: "authsrv:id.acme.test"),
            claim("id.acme.test", by: "authsrv:id.acme.test", team: "EVIL123456"),
            claim("id.acme.test", by: "authsrv:id.acme.test", app: "test.evil"),
            claim("free.acme.test", by: nil),
        ])
        #expect(!holds(registry, "id.acme.test"))
        await registry.refresh()
        #expect(holds(registry, "id.acme.test"))
        #expect(!holds(registry, "id.acme.test", team: "EVIL123456"))
        #expect(!registry.holds(extension: "test.evil.extension", team: "ACME123456", host: "id.acme.test"))
        #expect(!holds(registry, "free.acme.test") && !holds(registry, "other.acme.test"))
        #expect(domains.asked == ["id.acme.test"])
        let states = registry.entries().map { "\($0.extension) \($0.host) \($0.state) \($0.holds)" }
        #expect(
            states == [
                "test.acme.signin.extension free.acme.test unclaimed false",
                "test.acme.signin.extension id.acme.test approved true",
                "test.acme.signin.extension id.acme.test denied false",
                "test.evil.extension id.acme.test denied false",
            ])
        let denied = registry.entries()[2]
        #expect(denied.reason?.contains("EVIL123456.test.acme.signin") == true)
        #expect(denied.associationFile == "https://id.acme.test/.well-known/apple-app-site-association")
        #expect(denied.nextCheck == clock.now().addingTimeInterval(3_600))
    }

    @Test func `a file that names another app denies, and one that names the app no more takes it back at once`()
        async
    {
        let registry = registry()
        registry.update([claim("id.acme.test", by: "authsrv:id.acme.test")])
        domains.answers(["id.acme.test": .file("ACME123456.test.other")])
        await registry.refresh()
        #expect(!holds(registry, "id.acme.test"))
        domains.answers(["id.acme.test": .file("ACME123456.test.acme.signin.extension")])
        await registry.refresh()
        #expect(holds(registry, "id.acme.test"))
        domains.answers(["id.acme.test": .file("ACME123456.test.other")])
        await registry.refresh()
        #expect(!holds(registry, "id.acme.test"))
        #expect(registry.entries().first?.state == "denied")
    }

    @Test func `a domain that cannot be asked keeps an earlier agreement for a week, and gets none without`() async {
        domains.answers(["id.acme.test": .file("ACME123456.test.acme.signin")])
        let registry = registry()
        registry.update([
            claim("id.acme.test", by: "authsrv:id.acme.test"), claim("new.acme.test", by: "authsrv:new.acme.test"),
        ])
        await registry.refresh()
        #expect(registry.entries().map(\.state) == ["approved", "unreachable"])
        domains.answers([:])
        for day in 1...6 {
            clock.advance(86_400)
            await registry.refresh()
            #expect(holds(registry, "id.acme.test"), "day \(day)")
            #expect(registry.entries().map(\.state) == ["unreachable", "unreachable"])
        }
        clock.advance(86_400 - 1)
        #expect(holds(registry, "id.acme.test"))
        clock.advance(1)
        #expect(!holds(registry, "id.acme.test") && !holds(registry, "new.acme.test"))
    }

    @Test func `two hosts that share a file are fetched once, an exact one by itself`() async {
        domains.answers([
            "acme.test": .file("ACME123456.test.acme.signin"), "id.acme.test": .file("ACME123456.test.other"),
        ])
        let registry = registry()
        registry.update([
            claim("a.acme.test", by: "authsrv:*.acme.test"), claim("b.acme.test", by: "authsrv:*.acme.test"),
            claim("b.acme.test", by: "authsrv:*.acme.test", app: "test.other"),
            claim("id.acme.test", by: "authsrv:id.acme.test"),
        ])
        await registry.refresh()
        #expect(domains.asked.sorted() == ["acme.test", "id.acme.test"])
        #expect(holds(registry, "a.acme.test") && holds(registry, "b.acme.test") && !holds(registry, "id.acme.test"))
    }

    @Test func `what is no longer claimed, or by another app or entry, is forgotten`() async {
        domains.answers([
            "id.acme.test": .file("ACME123456.test.acme.signin", "ACME123456.test.acme.signin.extension"),
            "acme.test": .file("ACME123456.test.acme.signin"),
        ])
        let registry = registry()
        let original = claim("id.acme.test", by: "authsrv:id.acme.test")
        registry.update([original])
        await registry.refresh()
        // The same answer again is not a change.
        registry.update([original])
        #expect(holds(registry, "id.acme.test"))
        registry.update([])
        #expect(!holds(registry, "id.acme.test") && registry.entries().isEmpty)
        registry.update([original])
        #expect(!holds(registry, "id.acme.test"))

        await registry.refresh()
        registry.update([claim("id.acme.test", by: "authsrv:*.acme.test")])
        #expect(!holds(registry, "id.acme.test"))
        registry.update([original])
        await registry.refresh()
        var otherApp = original
        otherApp.identity = ExtensionIdentity(
            teamIdentifier: "ACME123456", extensionIdentifier: "test.acme.signin.extension",
            hostAppIdentifier: "test.another", associatedDomains: [], acceptsManagedDomains: true)
        registry.update([otherApp])
        #expect(!holds(registry, "id.acme.test"))
    }

    @Test func `an agreement lasts across a restart, up to a week, for those who still claim it`() async throws {
        domains.answers(["id.acme.test": .file("ACME123456.test.acme.signin")])
        let original = claim("id.acme.test", by: "authsrv:id.acme.test")
        let first = registry()
        first.update([original])
        await first.refresh()
        #expect(try attributes(file)[.posixPermissions] as? Int == 0o600)

        domains.answers([:])
        let second = registry()
        #expect(!holds(second, "id.acme.test"), "nothing is claimed yet")
        second.update([original])
        #expect(holds(second, "id.acme.test"))
        clock.advance(7 * 86_400)
        #expect(!holds(second, "id.acme.test"))
        clock.advance(-7 * 86_400)

        let third = registry()
        third.update([claim("id.acme.test", by: "authsrv:id.acme.test", team: "OTHER12345")])
        #expect(!holds(third, "id.acme.test", team: "OTHER12345"))
    }

    /// Cases: the app that the domain names after the start, if it answers, and when it is asked again then.
    @Test(arguments: [(nil, 60), ("ACME123456.test.other", 3_600), ("ACME123456.test.acme.signin", 86_400)])
    func `what the file says counts only until the domain has answered after a start`(
        app: String?, wait: TimeInterval
    ) async {
        domains.answers(["id.acme.test": .file("ACME123456.test.acme.signin")])
        let before = registry()
        before.update([claim("id.acme.test", by: "authsrv:id.acme.test")])
        await before.refresh()
        // A program of the user could have written the file so that the domain would not be asked again for a day.
        let later = FakeDomains()
        later.answers(app.map { ["id.acme.test": .file($0)] } ?? [:])
        let registry = registry(later)
        let running = Task { await registry.run() }
        registry.update([claim("id.acme.test", by: "authsrv:id.acme.test")])
        await later.hasAnswered(1)
        await clock.sleeps(for: wait)
        // Without a network the device keeps what it knew. A domain's refusal counts at once.
        #expect(holds(registry, "id.acme.test") == (app != "ACME123456.test.other"))
        #expect(later.asked == ["id.acme.test"])
        running.cancel()
        await running.value
    }

    @Test
    func `a state file that is damaged, foreign, open to others, of the future or of other rules counts as empty`()
        async throws
    {
        domains.answers(["id.acme.test": .file("ACME123456.test.acme.signin")])
        let original = claim("id.acme.test", by: "authsrv:id.acme.test")
        func fresh() async throws -> Data {
            let registry = registry()
            registry.update([original])
            await registry.refresh()
            return try #require(FileManager.default.contents(atPath: file))
        }
        func holdsAfterRestart() -> Bool {
            let registry = registry(FakeDomains())
            registry.update([original])
            return holds(registry, "id.acme.test")
        }
        let good = try await fresh()
        #expect(holdsAfterRestart())
        for damage in [Data(), Data("{}".utf8), good.dropLast(5), Data("[]".utf8), good + Data("x".utf8)] {
            try damage.write(to: URL(fileURLWithPath: file))
            #expect(!holdsAfterRestart())
        }
        _ = try await fresh()
        #expect(chmod(file, 0o666) == 0)
        #expect(!holdsAfterRestart())
        _ = try await fresh()
        #expect(try attributes(file)[.posixPermissions] as? Int == 0o600, "a new one takes its place")
        if geteuid() == 0 {
            #expect(chown(file, 65_534, 65_534) == 0)
            #expect(!holdsAfterRestart())
            try FileManager.default.removeItem(atPath: file)
            _ = try await fresh()
        }
        let elsewhere = "\(file).elsewhere"
        #expect(rename(file, elsewhere) == 0 && symlink(elsewhere, file) == 0)
        #expect(!holdsAfterRestart())

        _ = try await fresh()
        clock.advance(-2 * 86_400)
        #expect(!holdsAfterRestart())
        clock.advance(2 * 86_400)

        _ = try await fresh()
        let other = DomainRegistry(
            file: DomainRecordFile(path: file, rules: "public"), fetch: FakeDomains().fetch, now: clock.now,
            sleep: clock.sleep, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        other.update([original])
        #expect(!holds(other, "id.acme.test"))
    }

    @Test(arguments: [
        ("failures", "9223372036854775807"), ("failures", "-9223372036854775808"), ("failures", "-1"),
        ("checkedAt", "-1e300"), ("checkedAt", "1e300"), ("approvedAt", "1e300"),
    ])
    func `a number that no look comes to counts as nothing said`(
        name: String, number: String
    ) async throws {
        domains.answers(["id.acme.test": .file("ACME123456.test.acme.signin")])
        let original = claim("id.acme.test", by: "authsrv:id.acme.test")
        let before = registry()
        before.update([original])
        await before.refresh()
        let text = try String(contentsOfFile: file, encoding: .utf8)
        let changed = text.replacing(try Regex(#""\#(name)":[-0-9.eE+]+"#), with: #""\#(name)":\#(number)"#)
        #expect(changed != text)
        try Data(changed.utf8).write(to: URL(fileURLWithPath: file))

        let registry = registry(FakeDomains())
        registry.update([original])
        #expect(!holds(registry, "id.acme.test"))
        #expect(registry.entries().map(\.state) == ["unchecked"])
        await registry.refresh()
        #expect(registry.entries().map(\.state) == ["unreachable"])
    }

    @Test func `it looks again after a day, and more often while a domain cannot be asked, and not in between`() async {
        domains.answers(["id.acme.test": .file("ACME123456.test.acme.signin")])
        let registry = registry()
        let running = Task { await registry.run() }
        #expect(await clock.isIdle())
        registry.update([claim("id.acme.test", by: "authsrv:id.acme.test")])
        await clock.sleeps(for: 86_400)
        #expect(domains.asked.count == 1 && holds(registry, "id.acme.test"))

        clock.advance(86_399)
        #expect(domains.asked.count == 1)
        domains.answers([:])
        clock.advance(1)
        for (round, wait) in [60, 120, 240].enumerated() {
            await clock.sleeps(for: TimeInterval(wait))
            #expect(domains.asked.count == 2 + round)
            clock.advance(TimeInterval(wait))
        }
        #expect(holds(registry, "id.acme.test"))
        registry.update([])
        running.cancel()
        await running.value
    }

    @Test func `with a network those are asked again that could not be asked, soon, and no others`() async {
        let agreed = FakeDomains.Answer.file("ACME123456.test.acme.signin")
        domains.answers(["id.acme.test": agreed])
        let registry = registry()
        let running = Task { await registry.run() }
        registry.update(["id.acme.test", "away.acme.test"].map { claim($0, by: "authsrv:\($0)") })
        await clock.sleeps(for: 60)
        await hasAgreed("id.acme.test", in: registry)
        #expect(Set(domains.asked) == ["id.acme.test", "away.acme.test"] && domains.asked.count == 2)

        clock.advance(1)
        registry.networkMayBeUp()
        await clock.sleeps(for: 4)
        #expect(domains.asked.count == 2)
        clock.advance(4)
        await clock.sleeps(for: 120)
        #expect(domains.asked.count == 3 && domains.asked.last == "away.acme.test")

        domains.answers(["id.acme.test": agreed, "away.acme.test": agreed])
        clock.advance(10)
        registry.networkMayBeUp()
        await hasAgreed("away.acme.test", in: registry)
        await clock.sleeps(for: 86_400 - 15)
        #expect(domains.asked.count == 4)
        running.cancel()
        await running.value
    }

    @Test func `a slow domain does not hold up others, and only so many are asked at once`() async {
        let hosts = (0..<40).map { "h\($0).acme.test" }
        domains.answers(
            Dictionary(uniqueKeysWithValues: hosts.map { ($0, .file("ACME123456.test.acme.signin")) }))
        domains.hangs(["h0.acme.test", "h1.acme.test"])
        let registry = registry()
        let claims = hosts.map { claim($0, by: "authsrv:\($0)") }
        registry.update(claims)
        let running = Task { await registry.run() }
        await domains.hasAnswered(38)
        // The profiles change while domains are asked. These are not asked a second time.
        for _ in 0..<20 {
            registry.update(claims)
            for _ in 0..<50 { await Task.yield() }
        }
        #expect(!holds(registry, "h0.acme.test"))
        #expect(domains.busiest <= DomainRegistry.fetchesMax && domains.asked.count == hosts.count)
        running.cancel()
        await running.value
        #expect(!holds(registry, "h0.acme.test"))
        #expect(holds(registry, "h39.acme.test"))
    }

    @Test func `callers that refresh at the same time share one round`() async {
        domains.answers(["id.acme.test": .file("ACME123456.test.acme.signin")])
        domains.hangs(["id.acme.test"])
        let registry = registry()
        registry.update([claim("id.acme.test", by: "authsrv:id.acme.test")])
        await withDiscardingTaskGroup { group in
            for _ in 0..<50 { group.addTask { await registry.refresh() } }
            await domains.isAsked(1)
            domains.hangs([])
        }
        // A caller that comes after the round starts another one.
        #expect(domains.asked.count < 50)
        #expect(holds(registry, "id.acme.test"))
    }

    @Test func `all together, against a server: agreed, taken back, gone`() async throws {
        let authority = try TestAuthority()
        let server = try await TestDomain(
            try authority.certificate(for: "id.acme.test", by: authority.root), .file("ACME123456.test.acme.signin"))
        let fetcher = try server.fetcher(trusting: authority.root)
        let registry = DomainRegistry(
            file: DomainRecordFile(path: file, rules: "test"), fetch: { await fetcher.fetch($0) }, now: clock.now,
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        registry.update([claim("id.acme.test", by: "authsrv:id.acme.test")])
        await registry.refresh()
        #expect(holds(registry, "id.acme.test"))
        server.answers(.answer(.internalServerError, [], Data()))
        await registry.refresh()
        #expect(holds(registry, "id.acme.test") && registry.entries().first?.state == "unreachable")
        server.answers(.file("ACME123456.test.other"))
        await registry.refresh()
        #expect(!holds(registry, "id.acme.test") && registry.entries().first?.state == "denied")
        server.answers(.file("ACME123456.test.acme.signin"))
        await registry.refresh()
        #expect(holds(registry, "id.acme.test"))
        try await server.stop()
        await registry.refresh()
        #expect(holds(registry, "id.acme.test") && registry.entries().first?.state == "unreachable")
        clock.advance(7 * 86_400)
        #expect(!holds(registry, "id.acme.test"))
    }

    @Test("10 000 hosts hold by one question to their domain, and a look-up asks nobody")
    func manyClaims() async {
        let hosts = (0..<10_000).map { "h\($0).acme.test" }
        let registry = registry()
        registry.update(hosts.map { claim($0, by: "authsrv:*.acme.test") })
        domains.answers(["acme.test": .file("ACME123456.test.acme.signin")])
        await registry.refresh()
        #expect(hosts.filter { holds(registry, $0) } == hosts)
        #expect(!holds(registry, "h10000.acme.test"))
        #expect(domains.asked == ["acme.test"])
    }

    private func attributes(_ path: String) throws -> [FileAttributeKey: Any] {
        try FileManager.default.attributesOfItem(atPath: path)
    }
}

/// Domains that answer as a test sets them. Other domains cannot be reached.
final class FakeDomains: Sendable {
    enum Answer: Sendable {
        case apps([String])
        static func file(_ apps: String...) -> Answer { .apps(apps) }
    }

    private struct State {
        var answers: [String: Answer] = [:]
        var hanging: Set<String> = []
        var asked: [String] = []
        var answered = 0
        var busy = 0
        var busiest = 0
    }

    private let state = Mutex(State())

    var asked: [String] { state.withLock { $0.asked } }
    var busiest: Int { state.withLock { $0.busiest } }

    func answers(_ answers: [String: Answer]) { state.withLock { $0.answers = answers } }
    func hangs(_ domains: Set<String>) { state.withLock { $0.hanging = domains } }

    func isAsked(_ count: Int) async { while asked.count < count { await Task.yield() } }
    func hasAnswered(_ count: Int) async { while state.withLock({ $0.answered }) < count { await Task.yield() } }

    var fetch: DomainRegistry.Fetch {
        { [self] domain in
            state.withLock {
                $0.asked.append(domain.domain)
                $0.busy += 1
                $0.busiest = max($0.busiest, $0.busy)
            }
            while state.withLock({ $0.hanging.contains(domain.domain) }), !Task.isCancelled { await Task.yield() }
            let answer = state.withLock {
                $0.busy -= 1
                $0.answered += 1
                return $0.answers[domain.domain]
            }
            guard case .apps(let apps)? = answer else { return .failure(.unreachable("nobody answers")) }
            let list = apps.map { "\"\($0)\"" }.joined(separator: ",")
            return Result { () throws(AssociationFile.Problem) in
                try AssociationFile(Data(#"{"authsrv":{"apps":[\#(list)]}}"#.utf8))
            }.mapError { .denied("\($0)") }
        }
    }
}

/// A clock that a test moves, and tasks that sleep until it has reached their time.
final class TestClock: Sendable {
    private struct State {
        var time = Date(timeIntervalSince1970: 1_800_000_000)
        var sleepers: [Int: (until: Date, wake: CheckedContinuation<Void, any Error>)] = [:]
        var next = 0
    }

    private let state = Mutex(State())

    var now: @Sendable () -> Date { { [self] in state.withLock { $0.time } } }

    var sleep: @Sendable (Duration) async throws -> Void {
        { [self] wait in
            let number = state.withLock { state in
                state.next += 1
                return state.next
            }
            try await withTaskCancellationHandler {
                try await withCheckedThrowingContinuation { continuation in
                    let isOver = state.withLock { state in
                        if Task.isCancelled { return true }
                        let seconds = Double(wait.components.seconds) + Double(wait.components.attoseconds) / 1e18
                        state.sleepers[number] = (state.time.addingTimeInterval(seconds), continuation)
                        return false
                    }
                    if isOver { continuation.resume(throwing: CancellationError()) }
                }
            } onCancel: {
                state.withLock { $0.sleepers.removeValue(forKey: number) }?.wake.resume(throwing: CancellationError())
            }
        }
    }

    func advance(_ seconds: TimeInterval) {
        let woken = state.withLock { state in
            state.time.addTimeInterval(seconds)
            let woken = state.sleepers.filter { $0.value.until <= state.time }
            for number in woken.keys { state.sleepers[number] = nil }
            return woken.values.map(\.wake)
        }
        for wake in woken { wake.resume() }
    }

    /// Waits until a task sleeps for that long, counted from now.
    func sleeps(for seconds: TimeInterval) async {
        while !state.withLock({ state in
            state.sleepers.values.contains { abs($0.until.timeIntervalSince(state.time) - seconds) < 1 }
        }) { await Task.yield() }
    }

    /// Whether no task sleeps, after all other tasks had time to run.
    func isIdle() async -> Bool {
        for _ in 0..<100 { await Task.yield() }
        return state.withLock { $0.sleepers.isEmpty }
    }
}
