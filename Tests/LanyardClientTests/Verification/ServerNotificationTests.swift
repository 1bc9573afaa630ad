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

    /// As the service that signs people in sends them: one event, as text.
    static func signInPayload(event: String, exp: Int = 1_767_312_000) -> String {
        #"{"iss":"https://lanyard.example","aud":"org.hillfield.planner","iat":1767225600,"exp":\#(exp),"jti":"j2","#
            + #""events":"\#(event.replacing("\"", with: "\\\""))"}"#
    }

    @Test(
        "what happens to people who sign in comes as typed values",
        arguments: [
            (
                #"{"type":"email-disabled","sub":"s","email":"x@r.example","is_private_email":"true","event_time":1767225598364}"#,
                NotificationEvent.Change.emailDisabled(personID: "s", email: "x@r.example")
            ),
            (
                #"{"type":"email-enabled","sub":"s","email":"x@r.example","is_private_email":true,"event_time":1767225598364}"#,
                .emailEnabled(personID: "s", email: "x@r.example")
            ),
            (
                #"{"type":"consent-revoked","sub":"s","event_time":1767225598364}"#, .personStopped(personID: "s")
            ),
            (
                #"{"type":"account-delete","sub":"s","event_time":1767225598364}"#, .accountDeleted(personID: "s")
            ),
            (
                #"{"type":"account-deleted","sub":"s","event_time":1767225598364}"#, .accountDeleted(personID: "s")
            ),
            (#"{"type":"account-renamed","sub":"s","event_time":1767225598364}"#, .other),
            (#"{"type":"account-delete","event_time":1767225598364}"#, .other),
        ])
    func changes(event: String, change: NotificationEvent.Change) async throws {
        let script = Script([.ok(try TestKeys.keySet(keyID: "k1"))])
        let notification = try await script.client().verify(
            notification: Self.body(Self.signInPayload(event: event)))
        #expect(notification.events.map(\.change) == [change])
        #expect(notification.events[0].time?.timeIntervalSince1970 == 1_767_225_598.364)
        #expect(notification.replayableUntil == Date(timeIntervalSince1970: 1_767_312_000))
        #expect(script.requests.map(\.url) == ["https://lanyard.example/auth/keys"])
    }

    @Test("an organization's revocation is told apart from a person's")
    func organization() async throws {
        let script = Script([.ok(try TestKeys.keySet(keyID: "k1"))])
        let notification = try await script.client().verify(notification: Self.body(Self.payload()))
        #expect(
            notification.events.map(\.change) == [.organizationStopped(organizationID: "o", scopes: [.usersRead])])
        #expect(notification.replayableUntil == Date(timeIntervalSince1970: 1_767_225_600 + 30 * 86_400))
        #expect(script.requests.map(\.url) == ["https://lanyard.example/auth/oauth2/v2/keys"])
    }

    @Test("a notification that has expired is refused, of whichever kind")
    func expired() async throws {
        let client = try Script([.ok(try TestKeys.keySet(keyID: "k1"))]).client()
        let event = #"{"type":"account-delete","sub":"s","event_time":1}"#
        let body = try await Self.body(Self.signInPayload(event: event, exp: 1_767_225_540))
        await #expect(throws: LanyardClientError.invalidToken(.expired)) {
            try await client.verify(notification: body)
        }
    }

    @Test("a notification that nobody or somebody else has signed is refused")
    func forged() async throws {
        let client = try Script([.ok(try TestKeys.keySet(keyID: "k1"))]).client()
        let payload = Self.signInPayload(event: #"{"type":"account-delete","sub":"s"}"#)
        let unsigned = [#"{"alg":"none","kid":"k1"}"#, payload].map { TestKeys.base64URL(Data($0.utf8)) }
        let foreign = try await TestKeys.sign(payload, with: TestKeys.foreign)
        for (token, defect) in [
            ("\(unsigned[0]).\(unsigned[1]).", TokenDefect.unsupportedAlgorithm), (foreign, .invalidSignature),
        ] {
            await #expect(throws: LanyardClientError.invalidToken(defect)) {
                try await client.verify(notification: Data(#"{"payload":"\#(token)"}"#.utf8))
            }
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
