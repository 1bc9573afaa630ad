import Foundation
import LanyardAPI
import Testing

@Suite struct SignInValueTests {
    @Test("the user field has the one shape that clients parse")
    func user() throws {
        let user = SignInUser(name: .init(firstName: "Maria", lastName: "Ruiz"), email: "m@x.example")
        #expect(
            try json(user) == #"{"email":"m@x.example","name":{"firstName":"Maria","lastName":"Ruiz"}}"#)
        #expect(try json(SignInUser(email: "m@x.example")) == #"{"email":"m@x.example"}"#)
        #expect(try decode(json(user)) == user)
    }

    @Test("a description is written only if there is one")
    func description() throws {
        #expect(
            try json(ErrorResponse(error: .invalidGrant, description: "Used."))
                == #"{"error":"invalid_grant","error_description":"Used."}"#)
    }

    @Test("the state of a credential is one word")
    func credentialState() throws {
        #expect(try json(CredentialStateResponse(state: .notFound)) == #"{"state":"notFound"}"#)
    }

    @Test("an event about an address is written with its truth value as text, and read either way")
    func emailEvent() throws {
        let event = NotificationEvent(
            type: NotificationEvent.emailDisabled, subject: "s", email: "x@r.example", isPrivateEmail: true,
            time: Date(timeIntervalSince1970: 1_767_299_998))
        let text =
            #"{"email":"x@r.example","event_time":1767299998,"is_private_email":"true","sub":"s","#
            + #""type":"email-disabled"}"#
        #expect(try json(event) == text)
        #expect(try decode(text.replacing(#""true""#, with: "true")) == event)
    }

    @Test("a discovery document has the exact wire names, and more in it does no harm")
    func metadata() throws {
        let metadata = ProviderMetadata(
            issuer: "https://i.example", authorizationEndpoint: "a", tokenEndpoint: "t", jwksURI: "k",
            userInfoEndpoint: "u", revocationEndpoint: "r", deviceAuthorizationEndpoint: "d", endSessionEndpoint: "e",
            codeChallengeMethodsSupported: ["S256"], authorizationResponseIssuerSupported: true)
        let text = try json(metadata).replacing("\\/", with: "/")
        #expect(
            text
                == #"{"authorization_endpoint":"a","authorization_response_iss_parameter_supported":true,"#
                + #""code_challenge_methods_supported":["S256"],"device_authorization_endpoint":"d","#
                + #""end_session_endpoint":"e","issuer":"https://i.example","jwks_uri":"k","#
                + #""revocation_endpoint":"r","token_endpoint":"t","userinfo_endpoint":"u"}"#)
        #expect(try decode(#"{"claims_supported":["sub"],"# + text.dropFirst()) == metadata)
    }
}
