import Authorization
import HTTPTypes
import Hummingbird
import NIOCore
import Testing
@testable import ServerHTTP
@testable import TestServers

@Suite struct BearerTokenTests {
    private static func request(_ authorization: String?) -> Request {
        var head = HTTPRequest(method: .get, scheme: "https", authority: "id.example", path: "/")
        head.headerFields[.authorization] = authorization
        return Request(head: head, body: RequestBody(buffer: ByteBuffer()))
    }

    @Test("one token behind the scheme, in whichever case", arguments: ["Bearer t", "bearer t", "BEARER t"])
    func token(_ header: String) throws {
        #expect(Self.request(header).bearerToken == "t")
        #expect(try Self.request(header).requireBearerToken() == "t")
    }

    @Test("no header or another scheme is no token", arguments: [nil, "", "t", "Basic dDp0", "Bearert t", "Bearer:t"])
    func none(_ header: String?) {
        #expect(Self.request(header).bearerToken == nil)
        #expect(throws: MissingToken.self) { try Self.request(header).requireBearerToken() }
    }

    @Test("where a token has to be, nothing and two are told apart from none", arguments: ["Bearer", "Bearer t u"])
    func malformed(_ header: String) {
        #expect(throws: RosterRefusal.invalidToken("the Authorization header does not hold one token")) {
            try Self.request(header).requireBearerToken()
        }
    }

    @Test(
        "where something else would do, nothing behind the scheme is none, and two words are one token that is none of ours"
    )
    func elsewhere() {
        #expect(Self.request("Bearer").bearerToken == nil)
        #expect(Self.request("Bearer t u").bearerToken == "t u")
    }

    @Test("more spaces are passed over where a token has to be, and nowhere else")
    func spaces() throws {
        #expect(try Self.request("Bearer  t").requireBearerToken() == "t")
        #expect(Self.request("Bearer  t").bearerToken != "t")
    }
}
