import Foundation
import LanyardAPI
import Testing

@Suite struct AuthorizationValueTests {
    @Test("a token response has five keys after an exchange and three after a refresh")
    func tokenResponse() throws {
        let exchanged = TokenResponse(accessToken: "a", expiresIn: 3_600, refreshToken: "r", idToken: "i")
        let refreshed = TokenResponse(accessToken: "a", expiresIn: 3_600)

        #expect(
            try json(exchanged)
                == #"{"access_token":"a","expires_in":3600,"id_token":"i","refresh_token":"r","token_type":"Bearer"}"#)
        #expect(try json(refreshed) == #"{"access_token":"a","expires_in":3600,"token_type":"Bearer"}"#)
        #expect(try decode(json(exchanged)) == exchanged)
    }

    @Test("a token response without a lifetime decodes, one without a token does not")
    func tokenResponseTolerance() throws {
        let response: TokenResponse = try decode(#"{"access_token":"a","token_type":"bearer"}"#)
        #expect(response == TokenResponse(accessToken: "a", tokenType: "bearer", expiresIn: nil))
        #expect(throws: DecodingError.self) { try decode(#"{"token_type":"bearer"}"#) as TokenResponse }
    }

    @Test("an error response has one key, and an unknown word decodes")
    func errorResponse() throws {
        #expect(try json(ErrorResponse(error: .invalidGrant)) == #"{"error":"invalid_grant"}"#)
        #expect(try decode(#"{"error":"slow_down"}"#) == ErrorResponse(error: ErrorCode(rawValue: "slow_down")))
    }

    @Test("a key has the exact wire names")
    func key() throws {
        let set = JWKSet(keys: [JWK(rsaModulus: "n0", exponent: "AQAB", keyID: "p3Xv9LkQ2d")])
        #expect(
            try json(set)
                == #"{"keys":[{"alg":"RS256","e":"AQAB","kid":"p3Xv9LkQ2d","kty":"RSA","n":"n0","use":"sig"}]}"#)
    }

    @Test("a scope list is separated by spaces, however many there are")
    func scopes() {
        #expect([Scope.usersRead, .classesRead].scopeList == "edu.users.read edu.classes.read")
        #expect(Scope.list(" edu.classes.read  edu.users.read") == [.classesRead, .usersRead])
        #expect(Scope.list("").isEmpty)
    }
}
