import Foundation
import LanyardAPI
import LanyardClient
import Testing

@Suite struct AuthorizationAnswerTests {
    @Test("a form with everything in it is read")
    func everything() throws {
        let answer = try AuthorizationAnswer(
            "code=c%2B1&id_token=i.d.t&state=s+1&iss=https%3A%2F%2Flanyard.example&user=%7B%22name%22%3A%7B%22firstName%22"
                + "%3A%22Maria%22%2C%22lastName%22%3A%22Ru%C3%ADz%22%7D%2C%22email%22%3A%22m%40x.example%22%7D",
            state: "s 1")
        #expect(answer.code == "c+1")
        #expect(answer.identityToken == "i.d.t")
        #expect(answer.issuer == "https://lanyard.example")
        #expect(
            answer.user
                == SignInUser(name: .init(firstName: "Maria", lastName: "Ruíz"), email: "m@x.example"))
        #expect(!"\(answer)".contains("c+1"))
    }

    @Test("who does not want to sign in has not failed to", arguments: ["user_cancelled_authorize", "access_denied"])
    func cancelled(error: String) {
        let expected = LanyardClientError.oauth(ErrorCode(rawValue: error), requestID: nil)
        #expect(throws: expected) { try AuthorizationAnswer("error=\(error)&state=s", state: "s") }
        #expect(expected.isCancelledByPerson)
    }

    @Test(
        "an answer to somebody else's question is refused, whatever it says",
        arguments: ["code=c&state=t", "code=c", "error=access_denied&state=t", "code=c&state=", "code=c&state=ss"])
    func wrongState(fields: String) {
        #expect(throws: LanyardClientError.wrongState) { try AuthorizationAnswer(fields, state: "s") }
    }

    @Test(
        "an answer with two readings is refused",
        arguments: [
            "code=c&code=d&state=s", "code=c&state=s&state=s", "code=%FF&state=s", "code=%4&state=s", "code=%&state=s",
            "state=s", "code=&state=s", "code=c&state=s&c%6Fde=d",
        ])
    func malformed(fields: String) {
        #expect {
            try AuthorizationAnswer(fields, state: "s")
        } throws: {
            if case .malformedAnswer = $0 as? LanyardClientError { true } else { false }
        }
    }

    @Test(
        "a name that cannot be read is no reason to send anybody away", arguments: ["x", "[]", "%7B%22name%22%3A7%7D"])
    func badUser(user: String) throws {
        #expect(try AuthorizationAnswer("code=c&state=s&user=\(user)", state: "s").user == nil)
    }
}
