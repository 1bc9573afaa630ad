import Foundation
import SingleSignOnWire
import Testing

@testable import SingleSignOnClient

@Suite struct BrokerClientTests {
    private let finished = #"{"event":"finished","outcome":"notHandled","reason":"notCovered"}"#

    @Test func `an absent broker is absent at once, for questions and for requests`() async throws {
        let client = BrokerClient(socketPath: "/nowhere/sso.sock")
        let start = ContinuousClock.now
        await #expect(throws: BrokerUnavailable(socketPath: "/nowhere/sso.sock", reason: "nothing listens there")) {
            _ = try await client.match(url: "https://id.acme.test/")
        }
        await #expect(throws: BrokerUnavailable.self) {
            _ = try await client.perform(BrokerRequest(url: "https://id.acme.test/"))
        }
        await #expect(throws: BrokerUnavailable.self) { for try await _ in client.profileChanges() {} }
        #expect(BlockingMatch.ask(socketPath: "/nowhere/sso.sock", url: "https://a.test/", responseCode: 0) == nil)
        #expect(ContinuousClock.now - start < .seconds(60))
    }

    @Test func `a path that is too long for a socket is an absent broker`() async throws {
        let client = BrokerClient(socketPath: "/" + String(repeating: "x", count: 200))
        await #expect(throws: BrokerUnavailable.self) { _ = try await client.status() }
        #expect(BlockingMatch.ask(socketPath: client.socketPath, url: "https://a.test/", responseCode: 0) == nil)
    }

    @Test func `an answer that says it is shorter than nothing is none`() throws {
        let broker = try FakeBroker { _ in ("HTTP/1.1 200 OK\r\nContent-Length: -3\r\n\r\n{}", .close) }
        #expect(BlockingMatch.ask(socketPath: broker.path, url: "https://a.test/", responseCode: 0) == nil)
    }

    @Test func `a request is one line after the other up to the last`() async throws {
        let finished = finished
        let broker = try FakeBroker { _ in
            FakeBroker.lines(
                [
                    #"{"event":"presenting","id":"7","form":{"title":"Sign in","fields":[],"submit":"Go"}}"#, finished,
                ], .hold)
        }
        var request = BrokerRequest(url: "https://id.acme.test/?a=1")
        request.operation = "login"
        var seen: [String] = []
        for try await event in BrokerClient(socketPath: broker.path).events(for: request) {
            switch event {
            case .presenting(let presenting): seen.append("presenting \(presenting.id) \(presenting.form?.title ?? "")")
            case .finished(let outcome): seen.append("finished \(outcome.outcome) \(outcome.reason)")
            }
            if seen.count == 2 { break }
        }
        #expect(seen == ["presenting 7 Sign in", "finished notHandled notCovered"])
        #expect(broker.requests[0].hasPrefix("POST /v1/requests HTTP/1.1\r\n"))
        #expect(broker.requests[0].contains(#""operation":"login""#))
        // A caller that stops reading the sequence closes the connection.
        #expect(try await eventually { broker.callersGone == 1 })
    }

    @Test func `who is cancelled closes the connection`() async throws {
        let broker = try FakeBroker { _ in FakeBroker.lines([], .hold) }
        let task = Task {
            try await BrokerClient(socketPath: broker.path).perform(BrokerRequest(url: "https://id.acme.test/"))
        }
        #expect(try await eventually { !broker.requests.isEmpty })
        task.cancel()
        await #expect(throws: CancellationError.self) { _ = try await task.value }
        #expect(try await eventually { broker.callersGone == 1 })
    }

    @Test func `a broker that goes away in the middle is an absent one`() async throws {
        let broker = try FakeBroker { _ in
            FakeBroker.lines([#"{"event":"presenting","id":"7"}"#], .close)
        }
        await #expect(throws: BrokerUnavailable.self) {
            _ = try await BrokerClient(socketPath: broker.path).perform(BrokerRequest(url: "https://id.acme.test/"))
        }
    }

    @Test(arguments: ["<html>", #"{"event":"finished"}"#, #"{"event":"danced"}"#, "[1]", "{"])
    func `a line that is none of ours is an error with a name`(line: String) async throws {
        let broker = try FakeBroker { _ in FakeBroker.lines([line], .hold) }
        await #expect(throws: BrokerAnswerUnreadable.self) {
            _ = try await BrokerClient(socketPath: broker.path).perform(BrokerRequest(url: "https://id.acme.test/"))
        }
    }

    @Test func `a line without end is not read for ever`() async throws {
        let broker = try FakeBroker { _ in
            FakeBroker.lines([String(repeating: "x", count: 3 << 20)], .hold)
        }
        await #expect(throws: BrokerAnswerUnreadable.self) {
            _ = try await BrokerClient(socketPath: broker.path).perform(BrokerRequest(url: "https://id.acme.test/"))
        }
    }

    @Test func `a broker that says nothing is given up within a second or so`() async throws {
        let broker = try FakeBroker { _ in ("", .hold) }
        let start = ContinuousClock.now
        await #expect(throws: BrokerUnavailable(socketPath: broker.path, reason: "it does not answer in time")) {
            _ = try await BrokerClient(socketPath: broker.path).match(url: "https://id.acme.test/")
        }
        #expect(BlockingMatch.ask(socketPath: broker.path, url: "https://a.test/", responseCode: 0) == nil)
        #expect(ContinuousClock.now - start < .seconds(60))
    }

    @Test func `a broker that never ends its body is given up too`() async throws {
        let broker = try FakeBroker { _ in ("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{", .hold) }
        await #expect(throws: BrokerUnavailable(socketPath: broker.path, reason: "it does not answer in time")) {
            _ = try await BrokerClient(socketPath: broker.path).match(url: "https://id.acme.test/")
        }
    }

    @Test func `what the broker refuses comes with its words`() async throws {
        let broker = try FakeBroker { _ in FakeBroker.json(#"{"error":"The url is missing."}"#, status: 400) }
        await #expect {
            _ = try await BrokerClient(socketPath: broker.path).perform(BrokerRequest(url: ""))
        } throws: { error in
            (error as? BrokerRefusal)?.status == 400 && (error as? BrokerRefusal)?.message == "The url is missing."
        }
    }

    @Test func `the question asks with the whole URL, and the quick one asks the same`() async throws {
        let broker = try FakeBroker { _ in
            FakeBroker.json(
                #"{"isCovered":true,"extension":"a.b","extensionName":"A","reason":"answered","explanation":"Yes."}"#)
        }
        let url = "https://id.acme.test/a b?x=1&y=ä#z"
        let match = try await BrokerClient(socketPath: broker.path).match(url: url, responseCode: 401)
        #expect(match == BlockingMatch.ask(socketPath: broker.path, url: url, responseCode: 401))
        #expect(match.isCovered)
        let path = "/v1/match?url=https%3A%2F%2Fid.acme.test%2Fa%20b%3Fx%3D1%26y%3D%C3%A4%23z&responseCode=401"
        #expect(broker.requests.map { $0.split(separator: " ")[1] } == [Substring(path), Substring(path)])
    }

    @Test func `profile changes come one by one, the first at once`() async throws {
        let line = #"{"event":"profilesChanged"}"#
        let broker = try FakeBroker { _ in FakeBroker.lines([line], .hold) }
        for try await _ in BrokerClient(socketPath: broker.path).profileChanges() { break }
        #expect(try await eventually { broker.callersGone == 1 })
    }

    @Test func `the person's answer goes to the request`() async throws {
        let broker = try FakeBroker { _ in FakeBroker.json("{}") }
        try await BrokerClient(socketPath: broker.path).present(id: "a/b", result: .submitted(["user": "mika"]))
        #expect(broker.requests[0].hasPrefix("POST /v1/requests/a%2Fb/presentation HTTP/1.1\r\n"))
        #expect(broker.requests[0].hasSuffix(#"{"submitted":{"_0":{"user":"mika"}}}"#))
    }
}
