import Foundation
import Ground
import Logging
import NIOCore
import NIOPosix
import SingleSignOn
import SingleSignOnWire
import Testing

@testable import SingleSignOnBroker

/// The parts of ``Broker``, each by itself. ``Drawings`` have ``DrawingTests``.
@Suite struct RequestPartsTests {
    // MARK: Counts

    @Test func `no process gets more than its share, and all together no more than there is`() {
        var counts = RequestCounts(max: 3, maxPerCaller: 2)
        let begun = [1, 1, 1, 2, 2, 3].map { counts.begin(by: $0) }
        #expect(begun == [true, true, false, true, false, false])
        // A refused request was not counted, and ends nothing.
        counts.end(by: 2)
        #expect(counts.begin(by: 1) == false, "it has its share already")
        #expect(counts.begin(by: 3) == true)
        counts.end(by: 1)
        #expect(counts.begin(by: 1) == true)
        #expect(counts.begin(by: 4) == false)
    }

    // MARK: Routes

    private func route(_ line: String) throws -> BrokerRoute {
        let connection = try HTTPConnectionTests.Connection()
        try connection.receive("\(line) HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n")
        return BrokerRoute(try #require(connection.exchanges.first))
    }

    @Test(arguments: [
        ("POST /v1/requests", BrokerRoute.ask), ("POST /v1/requests?x=1", .ask), ("GET /v1/requests", .unknown),
        ("POST /v1/requests/7f/presentation", .answerPresentation(number: "7f")),
        ("POST /v1/requests/7f", .unknown), ("POST /v1/requests/7f/presentation/x", .unknown),
        ("GET /v1/requests/7f/presentation", .unknown), ("POST /v2/requests/7f/presentation", .unknown),
        ("GET /v1/match?url=https%3A%2F%2Fa.test%2F", .match(url: "https://a.test/", responseCode: 0)),
        ("GET /v1/match?responseCode=407&url=a", .match(url: "a", responseCode: 407)),
        ("GET /v1/match?responseCode=x&url=a", .match(url: "a", responseCode: 0)),
        ("GET /v1/match", .matchWithoutURL), ("GET /v1/status", .status), ("POST /v1/status", .unknown),
        ("GET /v1/domains", .domains), ("POST /v1/domains/refresh", .refreshDomains),
        ("GET /v1/domains/refresh", .unknown), ("GET /v1/log", .log(isFollowed: false)),
        ("GET /v1/log?follow=1", .log(isFollowed: true)), ("GET /v1/log?follow", .log(isFollowed: true)),
        ("GET /v1/events", .events), ("POST /v1/extensions/test.acme.ext/debug", .debug(identifier: "test.acme.ext")),
        ("GET /v1/extensions/test.acme.ext/debug", .unknown), ("GET /", .unknown),
    ])
    func `method and path say what is asked for`(line: String, expected: BrokerRoute) throws {
        #expect(try route(line) == expected)
    }

    // MARK: Options

    @Test func `an extension is told a challenge by the broker alone`() {
        var request = BrokerRequest(url: "https://a.test/")
        request.options = [
            HeaderField("responseCode", "407"), HeaderField("isProxy", "1"), HeaderField("challenges", "x"),
            HeaderField("userActionInitiated", "1"), HeaderField("initiatorOrigin", "https://b.test"),
            HeaderField("initiatingAction", "1"), HeaderField("initiatingPath", "/"),
            HeaderField("conversation", "8-1"), HeaderField("tenant", "t"),
        ]
        #expect(ExtensionOptions.options(of: request, heedingPage: true, by: 7) == ["tenant": .string("t")])
        request.responseCode = 407
        request.headers = [
            HeaderField("WWW-Authenticate", "Basic"), HeaderField("Proxy-Authenticate", "Negotiate"),
            HeaderField("proxy-authenticate", "NTLM"),
        ]
        let expected: [String: PropertyListValue] = [
            "tenant": .string("t"), "responseCode": .integer(407), "isProxy": .boolean(true),
            "challenges": .array([.string("Negotiate"), .string("NTLM")]),
        ]
        #expect(ExtensionOptions.options(of: request, heedingPage: true, by: 7) == expected)
        request.responseCode = 401
        request.conversation = "1"
        let options = ExtensionOptions.options(of: request, heedingPage: true, by: 7)
        #expect(options["isProxy"] == .boolean(false) && options["challenges"] == .array([.string("Basic")]))
        // The process is the broker's word, whatever the caller says.
        #expect(options["conversation"] == .string("7-1"))
    }

    @Test func `the page counts from a browser's bridge alone, and state and nonce go before options`() {
        var request = BrokerRequest(url: "https://a.test/")
        request.options = [HeaderField("state", "option"), HeaderField("nonce", "option")]
        request.state = "own"
        request.scopes = ["openid", "email"]
        request.page = .init(
            userActionInitiated: true, initiatorOrigin: "https://b.test", initiatingAction: 1, initiatingPath: "/b")
        let plain: [String: PropertyListValue] = [
            "scope": .string("openid email"), "state": .string("own"), "nonce": .string("option"),
        ]
        #expect(ExtensionOptions.options(of: request, heedingPage: false, by: 7) == plain)
        let page: [String: PropertyListValue] = [
            "userActionInitiated": .boolean(true), "initiatorOrigin": .string("https://b.test"),
            "initiatingAction": .integer(1), "initiatingPath": .string("/b"),
        ]
        #expect(ExtensionOptions.options(of: request, heedingPage: true, by: 7) == plain.merging(page) { $1 })
    }

    // MARK: Lost payloads

    private let staff = InstallationTests.redirect("https://id.acme.test/staff/")

    @Test func `the removal of a payload is told once`() throws {
        let old = try InstallationTests.installation(staff)
        let payload = try #require(old.payloads.first)
        var lost = RemovedPayloads()
        #expect(lost.take(old: old, new: old).isEmpty)
        #expect(lost.take(old: old, new: Installation()).map(\.uuid) == [payload.uuid])
        #expect(lost.take(old: Installation(), new: Installation()).isEmpty)
    }

    @Test func `nothing is told while a profile cannot be read, and what comes back was not lost`() throws {
        let old = try InstallationTests.installation(staff)
        let unread = try InstallationTests.installation(isWhole: false)
        var lost = RemovedPayloads()
        #expect(lost.take(old: old, new: unread).isEmpty)
        #expect(lost.take(old: unread, new: old).isEmpty)
        #expect(lost.take(old: old, new: unread).isEmpty)
        #expect(lost.take(old: unread, new: Installation()).map(\.uuid) == old.payloads.map(\.uuid))
    }

    @Test func `a payload that another replaces is not told`() throws {
        let (old, new) = (try InstallationTests.installation(staff), try InstallationTests.installation(staff))
        #expect(old.payloads.map(\.uuid) != new.payloads.map(\.uuid))
        var lost = RemovedPayloads()
        #expect(lost.take(old: old, new: new).isEmpty)
        // Only the new payload is told: the old one was forgotten when the new one came in its place.
        #expect(lost.take(old: new, new: Installation()).map(\.uuid) == new.payloads.map(\.uuid))
    }

    @Test func `an extension is told by the broker itself, and asked to show nothing`() throws {
        let payload = try #require(try InstallationTests.installation(staff).payloads.first)
        let request = ExtensionRequest(removalOf: payload)
        #expect(request.operation == "configurationRemoved" && request.url == "https://id.acme.test/staff/")
        #expect(request.caller.bundleIdentifier == "lanyard-broker" && request.caller.isManaged)
        #expect(!request.isUserInterfaceEnabled && !request.isCredential && request.headers.isEmpty)
    }

    // MARK: Hosts

    @Test func `an extension has one host, which goes on when its manifest changes`() async throws {
        func manifest(named name: String) throws -> ExtensionManifest {
            try ExtensionManifest(
                reading: Data(
                    """
                    {"extensionIdentifier": "test.acme.ext", "hostAppIdentifier": "test.acme", "teamIdentifier": "ACME",
                    "displayName": "\(name)", "executable": "/nowhere/at/all"}
                    """.utf8))
        }
        let loop = MultiThreadedEventLoopGroup.singleton.next()
        let (old, new) = (try manifest(named: "Old"), try manifest(named: "New"))
        try await loop.submit {
            var hosts = ExtensionHosts(
                on: loop,
                settings: .init(
                    surroundings: .system, stateFolder: "/nowhere",
                    profilePlaces: .init(device: "", user: nil, policy: "", allowsUserProfiles: false)),
                logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
            #expect(hosts.status(of: old).name == "Old" && hosts.all.isEmpty, "to be looked at makes no host")
            let host = hosts.host(of: old)
            #expect(hosts.host(of: new) === host && hosts.all.count == 1)
            hosts.take(["test.acme.ext": new])
            #expect(hosts.status(of: old).name == "New" && hosts.status(of: old).state == .stopped)
            #expect(hosts.backedOff("test.acme.ext") == nil && hosts.backedOff("other") == nil)
            #expect(!hosts.haveStarted(getpid()), "no extension runs")
            hosts.forgetAll()
            #expect(hosts.all.isEmpty)
        }.get()
    }
}
