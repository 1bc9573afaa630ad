import Foundation
import LanyardAPI
import LanyardClient
import Testing

@Suite struct RosterReaderTests {
    @Test("a list follows the page tokens and visits each user once")
    func paging() async throws {
        let script = Script([.users("1", "2", next: "p/2"), .users(next: "p3"), .users("3")])
        let client = try script.client()
        let users = try await client.roster(script.session(client)).users(role: .student, limit: 2).collect()

        #expect(users.map(\.id) == ["1", "2", "3"])
        #expect(
            script.rosterPaths == [
                "/users?limit=2&role=Student",
                "/users?limit=2&role=Student&pageToken=p%2F2",
                "/users?limit=2&role=Student&pageToken=p3",
            ])
        #expect(script.requests.allSatisfy { $0.accessToken == "a0" && $0.method == .get })
    }

    @Test("a page is asked for only when its first element is wanted")
    func lazy() async throws {
        let script = Script([.users("1", "2", next: "p2")])
        let client = try script.client()
        var iterator = client.roster(script.session(client)).users().makeAsyncIterator()
        #expect(script.requests.isEmpty)
        #expect(try await iterator.next()?.id == "1")
        #expect(try await iterator.next()?.id == "2")
        #expect(script.requests.count == 1)
    }

    @Test(
        "more to follow without a new token is an error, not the end",
        arguments: [
            #"{"users":[{"id":"2"}],"moreToFollow":true}"#,
            #"{"users":[{"id":"2"}],"moreToFollow":true,"nextPageToken":"p2"}"#,
        ])
    func brokenPaging(secondPage: String) async throws {
        let script = Script([.users("1", next: "p2"), .ok(secondPage)])
        let client = try script.client()
        await #expect(throws: LanyardClientError.self) {
            try await client.roster(script.session(client)).users().collect()
        }
        #expect(script.requests.count == 2)
    }

    @Test("pages that go round in a circle are an error, not a list without end")
    func circle() async throws {
        let script = Script([.users("1", next: "a"), .users("2", next: "b"), .users("3", next: "a"), .users("4")])
        let client = try script.client()
        await #expect(throws: LanyardClientError.self) {
            try await client.roster(script.session(client)).users().collect()
        }
        #expect(script.requests.count == 3)
    }

    @Test("after an error the iteration is over")
    func overAfterError() async throws {
        let script = Script([.status(403), .users("1")])
        let client = try script.client()
        var iterator = client.roster(script.session(client)).users().makeAsyncIterator()
        await #expect(throws: LanyardClientError.self) { try await iterator.next() }
        #expect(try await iterator.next() == nil)
    }

    @Test("ids are escaped in the path")
    func paths() async throws {
        let script = Script([.ok("{}"), .ok("{}"), .ok("{}"), .ok("{}"), .users("1"), .ok("{}"), .ok("{}")])
        let client = try script.client()
        let roster = client.roster(script.session(client))
        _ = try await roster.user("000417.Qm.U1da")
        _ = try await roster.class("CL/1 ?")
        _ = try await roster.location("LO:5501")
        _ = try await roster.organization()
        _ = try await roster.users(inClass: "CL:1", role: .instructor).collect()
        _ = try await roster.classes(limit: 5).collect()
        _ = try await roster.locations().collect()
        #expect(
            script.rosterPaths == [
                "/users/000417.Qm.U1da", "/classes/CL%2F1%20%3F", "/locations/LO%3A5501", "/organization",
                "/classes/CL%3A1/users?limit=200&role=Instructor", "/classes?limit=5", "/locations?limit=200",
            ])
    }

    @Test("a refusal carries status, error, message and request id")
    func refusal() async throws {
        let body = #"{"error":"not_found","message":"No such user.","requestId":"q1"}"#
        let script = Script([.answer(404, body, ["x-request-id": "q0"])])
        let client = try script.client()
        await #expect(
            throws: LanyardClientError.roster(
                status: 404, error: "not_found", message: "No such user.", requestID: "q1")
        ) {
            try await client.roster(script.session(client)).user("x")
        }
    }

    @Test("a refusal without a body still carries its status")
    func bareRefusal() async throws {
        let script = Script([.answer(403, "<html>", ["x-request-id": "q0"])])
        let client = try script.client()
        await #expect(throws: LanyardClientError.roster(status: 403, error: nil, message: nil, requestID: "q0")) {
            try await client.roster(script.session(client)).organization()
        }
    }
}
