import Authorization
import AsyncHTTPClient
import Foundation
import Testing

@testable import ServerHTTP
@testable import TestServers

/// Notifications leave the server's own network.
@Suite struct PublicAddressesTests {
    @Test(
        "addresses of the Internet are public",
        arguments: ["192.88.99.1", "1.1.1.1", "172.32.0.1", "223.255.255.255", "2606:4700::1111", "2a00:1450::8a"])
    func isPublic(_ address: String) { #expect(PublicAddresses.isPublic(address)) }

    @Test(
        "those of this machine, of networks inside, of tests, and those that hold others are not",
        arguments: [
            "127.0.0.1", "127.8.8.8", "0.0.0.0", "10.1.2.3", "100.64.0.1", "169.254.169.254", "172.16.0.1",
            "172.31.255.255", "192.168.1.1", "192.0.2.1", "198.18.0.1", "203.0.113.9", "224.0.0.1", "255.255.255.255",
            "::1",
            "::", "::ffff:127.0.0.1", "::ffff:8.8.8.8", "64:ff9b::7f00:1", "fe80::1", "fc00::1", "fd12::1", "ff02::1",
            "2001:db8::1", "2002:7f00:1::1", "2001::1", "fe80::1%eth0",
        ])
    func isPrivate(_ address: String) { #expect(!PublicAddresses.isPublic(address)) }

    @Test("what a name leads to is looked at, and the connection goes there")
    func names() async throws {
        #expect(try await PublicAddresses.find("a.example") { _ in ["10.0.0.1", "1.1.1.1"] } == "1.1.1.1")
        await #expect(
            throws: PublicAddresses.Refusal(host: "a.example", reason: "leads into a private network, to ::1")
        ) {
            try await PublicAddresses.find("a.example") { _ in ["::1", "127.0.0.1"] }
        }
        for host in ["localhost", "127.0.0.1", "::1"] {
            await #expect(throws: PublicAddresses.Refusal.self) { try await PublicAddresses.find(host) }
        }
    }

    @Test("a notification for an address inside is not sent")
    func delivery() async throws {
        try await Receiver.with { receiver in
            let client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: LanyardServer.notificationClient)
            let (strict, loose) = (
                NotificationDelivery.post(with: client, reachesPrivate: false),
                NotificationDelivery.post(with: client, reachesPrivate: true)
            )
            await #expect(throws: PublicAddresses.Refusal.self) {
                try await strict(receiver.url, "{}", "application/json")
            }
            let named = receiver.url.replacingOccurrences(of: "127.0.0.1", with: "localhost")
            await #expect(throws: PublicAddresses.Refusal.self) { try await strict(named, "{}", "application/json") }
            #expect(receiver.received.isEmpty)
            #expect(try await loose(receiver.url, "{}", "application/json") == 200)
            try await client.shutdown()
        }
    }

    @Test(
        "addresses of networks inside are registered for development alone",
        arguments: [
            "https://localhost/x", "https://127.0.0.1/x", "https://[::1]/x", "https://metadata.google.internal/x",
            "https://printer.local/x", "https://app.school.lan/x", "https://x.home.arpa/x", "http://127.0.0.1:8080/x",
        ])
    func registered(_ text: String) throws {
        #expect(throws: NotificationURL.Problem.self) { try NotificationURL(text, allowingLoopback: false) }
        #expect(try NotificationURL(text, allowingLoopback: true).text == text)
    }

    @Test(
        "a private network's number is no domain name, with or without development",
        arguments: ["https://10.0.0.5/x", "https://[fd00::1]/x", "http://10.0.0.5/x", "http://quizzler.example/x"])
    func numbers(_ text: String) {
        for allowingLoopback in [false, true] {
            #expect(throws: NotificationURL.Problem.self) {
                try NotificationURL(text, allowingLoopback: allowingLoopback)
            }
        }
    }
}
