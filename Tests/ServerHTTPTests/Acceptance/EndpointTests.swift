import Directory
import Foundation
import Testing
import TestSupport

@testable import TestServers

/// The shape of what apps get of a roster. docs/specifications/roster-api.md, 1 to 3.
@Suite struct EndpointTests {
    @Test("eight roster paths and four OAuth paths answer", arguments: TestDatabase.available)
    func paths(_ kind: TestDatabase) async throws {
        try await TestServer.with(on: kind) { server in
            let tokens = try await server.connect()
            let user = try #require(try await server.roster("/users?limit=1", tokens).ids("users").first)
            let paths = [
                "/users", "/users/\(user)", "/classes", "/classes/CL-\(server.maple.science.rawValue)",
                "/classes/CL-\(server.maple.science.rawValue)/users", "/organization", "/locations",
                "/locations/LO:\(server.maple.high.id.rawValue)",
            ]
            for path in paths {
                let answer = try await server.roster(path, tokens)
                #expect(answer.status == 200, "\(path): \(answer.line)")
                #expect(answer["Content-Type"] == "application/json;charset=UTF-8")
            }
            let browser = server.browser()
            #expect(try await browser.get(server.authorizePath(server.quizzler)).status == 302)
            #expect(try await server.token(server.quizzler, [:]).line == #"400 {"error":"invalid_request"}"#)
            #expect(try await server.revoke("unknown", server.quizzler).status == 200)
            #expect(try await browser.get("/auth/oauth2/v2/keys").status == 200)
        }
    }

    @Test("role=Student&limit=1 gives one user, and a token if more follow", arguments: TestDatabase.available)
    func firstStudent(_ kind: TestDatabase) async throws {
        try await TestServer.with(on: kind) { server in
            let answer = try await server.roster("/users?role=Student&limit=1", try await server.connect())
            #expect(answer.list("users").count == 1)
            #expect(answer.json["moreToFollow"] as? Bool == true)
            #expect(answer.json["nextPageToken"] is String)
            #expect(answer.list("users").first?["roles"] as? [String] == ["Student"])
        }
    }

    @Test(
        "a loop that follows pageToken visits each user exactly once; nextPageToken works too",
        arguments: TestDatabase.available)
    func loop(_ kind: TestDatabase) async throws {
        try await TestServer.with(on: kind, studentCount: 23) { server in
            let tokens = try await server.connect()
            for parameter in ["pageToken", "nextPageToken"] {
                var visited: [String] = []
                var path: String? = "/users?limit=4"
                while let current = path {
                    let page = try await server.roster(current, tokens)
                    visited += page.ids("users")
                    let next = page.json["nextPageToken"] as? String
                    #expect((next != nil) == (page.json["moreToFollow"] as? Bool))
                    path = next.map { "/users?limit=4&\(parameter)=\($0)" }
                }
                #expect(visited.count == server.maple.visibleCount)
                #expect(Set(visited).count == visited.count)
            }
        }
    }

    @Test("a full record has every name, a bare one leaves keys out, and nothing is null")
    func records() async throws {
        try await TestServer.with { server in
            let (tokens, maple) = (try await server.connect(), server.maple)
            let users = try await server.roster("/users", tokens)
            let classes = try await server.roster("/classes", tokens)
            let high = "LO:\(maple.high.id.rawValue)"
            let date = "2026-09-01T08:00:00Z"
            let ids = Dictionary(
                uniqueKeysWithValues: users.list("users").map {
                    ($0["givenName"] as? String ?? "", $0["id"] as? String ?? "")
                })

            #expect(
                canonical(users.list("users").first { $0["givenName"] as? String == "Nadia" })
                    == canonical([
                        "id": ids["Nadia"]!, "email": "nadia.okoye@maple.example", "givenName": "Nadia",
                        "middleName": "Ife", "familyName": "Okoye", "grade": "7", "roles": ["Student"],
                        "roleLocationMapping": [["roleName": "Student", "locationId": high]], "dateCreated": date,
                        "dateLastModified": date,
                    ]))
            #expect(
                canonical(users.list("users").first { $0["givenName"] as? String == "Ben" })
                    == canonical([
                        "id": ids["Ben"]!, "givenName": "Ben", "familyName": "Berg", "roles": ["Student"],
                        "roleLocationMapping": [["roleName": "Student", "locationId": high]], "dateCreated": date,
                        "dateLastModified": date,
                    ]))
            #expect(
                canonical(classes.list("classes"))
                    == canonical([
                        [
                            "id": "CL-\(maple.science.rawValue)", "name": "Earth Science", "displayName": "Sci 7B",
                            "number": "SCI-7B", "room": "North 14", "locationId": high,
                            "instructorIds": [ids["Tara"]!],
                            "studentIds": maple.students.map { ids[$0.givenName]! }.sorted(),
                            "dateCreated": date, "dateLastModified": date,
                        ],
                        [
                            "id": "CL-\(maple.hall.rawValue)", "name": "Study Hall", "instructorIds": [String](),
                            "studentIds": [String](), "dateCreated": date, "dateLastModified": date,
                        ],
                    ]))
            #expect(
                canonical(try await server.roster("/locations", tokens).json)
                    == canonical([
                        "locations": [
                            [
                                "id": high, "name": "High School", "domain": "maple.example",
                                "timeZone": "America/Los_Angeles", "dateCreated": date, "dateLastModified": date,
                            ],
                            [
                                "id": "LO:\(maple.annex.id.rawValue)", "name": "Annex", "dateCreated": date,
                                "dateLastModified": date,
                            ],
                        ],
                        "moreToFollow": false,
                    ]))
            #expect(
                canonical(try await server.roster("/organization", tokens).json)
                    == canonical([
                        "id": maple.organization.publicID, "type": "EDUCATION", "name": "Maple District",
                        "domains": [
                            ["name": "maple.example", "isVerified": true],
                            ["name": "old-maple.example", "isVerified": false],
                        ],
                        "dateCreated": date, "dateLastModified": date,
                    ]))
            #expect(!users.body.contains("null") && !classes.body.contains("null"))
        }
    }
}

/// JSON with sorted keys, to compare records whole.
func canonical(_ value: Any?) -> String {
    let data = try? JSONSerialization.data(
        withJSONObject: value ?? [String](), options: [.sortedKeys, .withoutEscapingSlashes, .fragmentsAllowed])
    return String(decoding: data ?? Data(), as: UTF8.self)
}
