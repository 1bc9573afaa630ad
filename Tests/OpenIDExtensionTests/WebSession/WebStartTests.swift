import Foundation
@testable import OpenIDExtension
import SingleSignOnWire
import Testing
import WebClient

@Suite struct WebStartTests {
    private func start(_ body: String, from initiator: String?, type: String? = nil) throws -> HTTPRequest? {
        var options: [String: PropertyListValue] = [:]
        options["initiatorOrigin"] = initiator.map { .string($0) }
        let url = try #require(URL(string: "https://id.test/authorize"))
        let headers = type.map { [HeaderField("content-type", $0)] } ?? []
        switch WebStart(url, body: Data(body.utf8), headers, options, Settings()) {
        case .request(let request): return request
        case .foreign: return nil
        }
    }

    @Test(arguments: [
        "SAMLRequest=x&RelayState=y", "wa=wsignin1.0&wtrealm=x&wctx=y", "client_id=a&response_type=code&scope=openid",
        "client_id=a&request_uri=urn:x",
    ])
    func `the provider hears who posts`(body: String) throws {
        for (initiator, origin) in [("https://app.test", "https://app.test"), (nil, "null")] as [(String?, String)] {
            let request = try #require(try start(body, from: initiator))
            #expect(request.headers["Origin"] == origin)
            #expect(request.body == Data(body.utf8))
        }
    }

    @Test func `a form of another site is not posted with this person's session`() throws {
        for initiator in ["https://evil.test", "https://id.test.evil.test", "http://id.test", "null", nil] {
            #expect(try start("csrf=&decision=delete", from: initiator) == nil)
            // Whatever it looks like: a decision beside the fields of a protocol is one.
            for message in ["client_id=a", "client_id=a&response_type=code", "SAMLRequest=x", "SAMLResponse=x", "wa=x"]
            {
                #expect(try start("\(message)&decision=allow", from: initiator) == nil, "\(message)")
            }
        }
        #expect(try start("user=ana", from: "https://id.test")?.headers["Origin"] == "https://id.test")
    }

    @Test func `nothing but forms is posted`() throws {
        for type in ["text/plain", "application/json", "multipart/form-data; boundary=x"] {
            #expect(try start("SAMLRequest=x", from: "https://id.test", type: type) == nil)
        }
        let type = "application/x-www-form-urlencoded; charset=UTF-8"
        #expect(try start("SAMLRequest=x", from: "https://id.test", type: type) != nil)
        #expect(try start("", from: nil, type: "text/plain")?.headers.isEmpty == true)
    }
}
