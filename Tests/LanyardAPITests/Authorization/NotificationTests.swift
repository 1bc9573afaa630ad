import Foundation
import LanyardAPI
import Testing

@Suite struct NotificationTests {
    static let event =
        #"{"type":"consent-revoked","sub":"s","org_id":"o","scopes":"edu.classes.read edu.users.read","#
        + #""event_time":1767299998}"#
    static let decoded = NotificationEvent(
        type: NotificationEvent.consentRevoked, subject: "s", organizationID: "o", scopes: [.classesRead, .usersRead],
        time: Date(timeIntervalSince1970: 1_767_299_998))

    static func payload(events: String) -> String {
        #"{"iss":"https://i.example","aud":"c","iat":1767300000,"jti":"j","events":\#(events)}"#
    }

    @Test(
        "events are read as an array, as an object and as a string that holds either",
        arguments: [
            "[\(event)]", event,
            "\"\(event.replacing("\"", with: "\\\""))\"", "\"[\(event.replacing("\"", with: "\\\""))]\"",
        ])
    func events(_ events: String) throws {
        let payload: NotificationPayload = try decode(Self.payload(events: events))
        #expect(
            payload
                == NotificationPayload(
                    issuer: "https://i.example", audience: "c", issuedAt: 1_767_300_000, id: "j", events: [Self.decoded]
                ))
    }

    @Test("events are written as an array, scopes as one string, the time as whole seconds")
    func encoding() throws {
        let payload: NotificationPayload = try decode(Self.payload(events: Self.event))
        #expect(
            try json(payload)
                == #"{"aud":"c","events":[{"event_time":1767299998,"org_id":"o","#
                + #""scopes":"edu.classes.read edu.users.read","sub":"s","type":"consent-revoked"}],"#
                + #""iat":1767300000,"iss":"https://i.example","jti":"j"}"#)
    }

    @Test("an event time in milliseconds is understood")
    func milliseconds() throws {
        let event: NotificationEvent = try decode(#"{"type":"consent-revoked","event_time":1767299998000}"#)
        #expect(event.time == Date(timeIntervalSince1970: 1_767_299_998))
    }

    @Test("events that are neither of these are refused", arguments: ["7", #""nonsense""#, "[{}]", "null"])
    func refused(_ events: String) {
        #expect(throws: DecodingError.self) { try decode(Self.payload(events: events)) as NotificationPayload }
    }
}
