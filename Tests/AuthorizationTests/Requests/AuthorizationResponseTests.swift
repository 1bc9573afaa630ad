@testable import Authorization
import Foundation
import Ground
import Testing

@Suite struct AuthorizationResponseTests {
    private func response(
        _ mode: AuthorizationRequest.ResponseMode, _ state: String?, to uri: String = "https://q.example/cb"
    ) -> AuthorizationResponse {
        AuthorizationResponse(redirectURI: uri, mode: mode, state: state)
    }

    @Test("the answer travels in the mode that was asked for, with the state and without one")
    func modes() {
        #expect(response(.query, "s").code("c") == .redirect(location: "https://q.example/cb?code=c&state=s"))
        #expect(response(.query, nil).code("c") == .redirect(location: "https://q.example/cb?code=c"))
        #expect(response(.fragment, "s").code("c") == .redirect(location: "https://q.example/cb#code=c&state=s"))
        #expect(
            response(.formPost, "s").code("c")
                == .form(
                    action: "https://q.example/cb",
                    fields: [FormField("code", "c"), FormField("state", "s")]))
        #expect(
            response(.formPost, nil).cancelled(as: "user_cancelled_authorize")
                == .form(
                    action: "https://q.example/cb", fields: [FormField("error", "user_cancelled_authorize")]))
    }

    @Test("errors carry the word and the state")
    func errors() {
        #expect(
            response(.query, "s").error(.invalidScope)
                == .redirect(location: "https://q.example/cb?error=invalid_scope&state=s"))
        #expect(
            response(.query, "s").cancelled(as: "access_denied")
                == .redirect(location: "https://q.example/cb?error=access_denied&state=s"))
    }

    @Test("a return URL keeps the query that it has")
    func ownQuery() {
        let response = response(.query, nil, to: "https://q.example/cb?tenant=7")
        #expect(response.code("c") == .redirect(location: "https://q.example/cb?tenant=7&code=c"))
    }

    @Test(
        "a state of any characters comes back as it was sent",
        arguments: [
            "a b&c=d#e", "%00", "Größe 大阪 👩🏽‍🏫", "\"><script>", "a+b", "\r\nSet-Cookie: x=y", "/?:@!$'()*,;~", " ",
        ])
    func encoding(_ state: String) throws {
        guard case .redirect(let location) = response(.query, state).code("c") else { throw Malformed() }
        #expect(location.utf8.allSatisfy { (0x21...0x7e).contains($0) })
        let items = try #require(URLComponents(string: location)?.queryItems)
        #expect(items == [URLQueryItem(name: "code", value: "c"), URLQueryItem(name: "state", value: state)])
        #expect(!location.dropFirst("https://q.example/cb?code=c&state=".count).contains { "&=#+?/ ".contains($0) })
    }

    struct Malformed: Error {}
}
