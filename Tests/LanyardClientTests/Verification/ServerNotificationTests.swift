import Foundation
import LanyardAPI
import LanyardClient
import Testing

@Suite struct ServerNotificationTests {
    static func payload(
        issuer: String = "https://lanyard.example/auth/oauth2/v2",
        audience: String = "org.hillfield.planner",
        issuedAt: Int = 1_767_225_600,
        more: String = ""
    ) -> String {
        #"{"iss":"\#(issuer)","aud":"\#(audience)","iat":\#(issuedAt),"jti":"j1","#
            + #""events":[{"type":"consent-revoked","sub":"s","org_id":"o","scopes":"edu.users.read","#
            + #""event_time":1767225598}]\#(more)}"#
    }

    static func body(_ payload: String) async throws -> Data {
        Data(#"{"payload":"\#(try await TestKeys.sign(payload))"}"#.utf8)
    }

    @Test(
        "a notification of either issuer is accepted, however old, and up to a day from the future",
        arguments: [
            payload(), payload(issuer: "https://lanyard.example"), payload(issuedAt: 1_766_900_000),
            payload(issuedAt: 1_767_225_600 + 86_400),
        ])
    func accepted(payload: String) async throws {
        let client = try Script([.ok(try TestKeys.keySet(keyID: "k1"))]).client()
        let notification = try await client.verify(notification: Self.body(payload))
        #expect(notification.id == "j1")
        #expect(
            notification.events == [
                NotificationEvent(
                    type: "consent-revoked", subject: "s", organizationID: "o", scopes: [.usersRead],
                    time: Date(timeIntervalSince1970: 1_767_225_598))
            ])
    }

    @Test(
        "a notification that does not fit is refused with the reason",
        arguments: [
            (payload(issuer: "https://evil.example"), TokenDefect.wrongIssuer),
            (payload(audience: "org.hillfield.other"), .wrongAudience),
            (payload(issuedAt: 1_767_225_600 + 86_401), .issuedInTheFuture),
            (payload(more: #","exp":1767225000"#), .expired),
            ("{}", .malformed),
        ])
    func refused(payload: String, defect: TokenDefect) async throws {
        let client = try Script([.ok(try TestKeys.keySet(keyID: "k1"))]).client()
        let body = try await Self.body(payload)
        await #expect(throws: LanyardClientError.invalidToken(defect)) {
            try await client.verify(notification: body)
        }
    }

    @Test("a body that is no envelope is refused", arguments: ["", "[]", #"{"payload":7}"#, #"{"payload":"x"}"#])
    func noEnvelope(body: String) async throws {
        let client = try Script().client()
        await #expect(throws: LanyardClientError.invalidToken(.malformed)) {
            try await client.verify(notification: Data(body.utf8))
        }
    }
}
