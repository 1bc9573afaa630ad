import Foundation
import LanyardAPI
import Testing

@Suite struct RosterValueTests {
    static let created = Timestamp(Date(timeIntervalSince1970: 1_724_051_560))

    @Test("a user has the exact wire names")
    func user() throws {
        let user = User(
            id: "000417.Qm.U1da", email: "nadia@hillfield.example", givenName: "Nadia", middleName: "Ife",
            familyName: "Okoye", grade: "7", roles: [.student],
            roleLocationMapping: [RoleLocation(roleName: .student, locationID: "LO:5501")],
            dateCreated: Self.created, dateLastModified: Self.created)
        let wire =
            #"{"dateCreated":"2024-08-19T07:12:40Z","dateLastModified":"2024-08-19T07:12:40Z","#
            + #""email":"nadia@hillfield.example","familyName":"Okoye","givenName":"Nadia","grade":"7","#
            + #""id":"000417.Qm.U1da","middleName":"Ife","#
            + #""roleLocationMapping":[{"locationId":"LO:5501","roleName":"Student"}],"roles":["Student"]}"#

        #expect(try json(user) == wire)
        #expect(try decode(wire) == user)
    }

    @Test("a class has the exact wire names")
    func rosterClass() throws {
        let rosterClass = RosterClass(
            id: "CL-1", name: "Earth Science", displayName: "Sci 7B", number: "SCI-7B", room: "North 14",
            locationID: "LO:5501", instructorIDs: ["t"], studentIDs: ["s"],
            dateCreated: Self.created, dateLastModified: Self.created)
        let wire =
            #"{"dateCreated":"2024-08-19T07:12:40Z","dateLastModified":"2024-08-19T07:12:40Z","#
            + #""displayName":"Sci 7B","id":"CL-1","instructorIds":["t"],"locationId":"LO:5501","#
            + #""name":"Earth Science","number":"SCI-7B","room":"North 14","studentIds":["s"]}"#

        #expect(try json(rosterClass) == wire)
        #expect(try decode(wire) == rosterClass)
    }

    @Test("locations, organizations and domains have the exact wire names")
    func places() throws {
        let location = Location(
            id: "LO:1", name: "North", domain: "a.example", timeZone: "Europe/Berlin",
            dateCreated: Self.created, dateLastModified: Self.created)
        let organization = Organization(
            id: "5f0c", type: "EDUCATION", name: "Hillfield", domains: [Domain(name: "a.example", isVerified: true)],
            dateCreated: Self.created, dateLastModified: Self.created)

        #expect(
            try json(location)
                == #"{"dateCreated":"2024-08-19T07:12:40Z","dateLastModified":"2024-08-19T07:12:40Z","#
                + #""domain":"a.example","id":"LO:1","name":"North","timeZone":"Europe/Berlin"}"#)
        #expect(
            try json(organization)
                == #"{"dateCreated":"2024-08-19T07:12:40Z","dateLastModified":"2024-08-19T07:12:40Z","#
                + #""domains":[{"isVerified":true,"name":"a.example"}],"id":"5f0c","name":"Hillfield","#
                + #""type":"EDUCATION"}"#)
    }

    @Test("a value without fields is an empty object, and an empty object decodes")
    func nothing() throws {
        #expect(try json(User()) == "{}")
        #expect(try json(RosterClass()) == "{}")
        #expect(try decode("{}") == User())
        #expect(try decode("{}") == RosterClass())
        #expect(try decode("{}") == Location())
        #expect(try decode("{}") == Organization())
    }

    @Test("unknown keys, null and an unknown role do not disturb the decoding")
    func tolerance() throws {
        let user: User = try decode(#"{"id":"u","email":null,"roles":["Student","Chaplain"],"photo":{"url":1}}"#)
        #expect(user == User(id: "u", roles: [.student, RosterRole(rawValue: "Chaplain")]))
    }

    @Test("a page with more to follow carries the token, the last page has no such key")
    func pages() throws {
        #expect(
            try json(Users(users: [User(id: "u")], nextPageToken: "Z0lq"))
                == #"{"moreToFollow":true,"nextPageToken":"Z0lq","users":[{"id":"u"}]}"#)
        #expect(try json(Classes(classes: [])) == #"{"classes":[],"moreToFollow":false}"#)
        #expect(try json(Locations(locations: [])) == #"{"locations":[],"moreToFollow":false}"#)
        #expect(try decode("{}") == Users(users: []))
    }

    @Test("an error body has the exact wire names")
    func errorBody() throws {
        let body = RosterErrorBody(error: "not_found", message: "No such user.", requestID: "r1")
        #expect(try json(body) == #"{"error":"not_found","message":"No such user.","requestId":"r1"}"#)
        #expect(try decode("{}") == RosterErrorBody())
    }
}
