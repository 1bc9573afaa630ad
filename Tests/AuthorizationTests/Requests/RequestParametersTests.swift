import Authorization
import Ground
import Testing

@Suite struct RequestParametersTests {
    private let parameters = RequestParameters([
        FormField("scope", "a"), FormField("state", ""), FormField("nonce", "1"), FormField("nonce", "1"),
        FormField("code", "x\0y"), FormField("empty", ""), FormField("empty", ""),
    ])

    @Test("a parameter that is there once has its value, an absent or empty one has none")
    func values() throws {
        #expect(try parameters["scope"] == "a")
        #expect(try parameters["state"] == nil)
        #expect(try parameters["absent"] == nil)
        #expect(try parameters["SCOPE"] == nil)
        #expect(parameters.names == ["scope", "state", "nonce", "code", "empty"])
    }

    @Test(
        "a parameter that is there twice, even with the same value, is invalid_request", arguments: ["nonce", "empty"])
    func twice(_ name: String) async {
        let code = await refusal { _ = try parameters[name] }
        #expect(code == .invalidRequest)
    }

    @Test("values keep their order, whatever the order of the names")
    func order() throws {
        let parameters = RequestParameters(
            (0..<40).map { FormField("b\($0 % 3)", "\($0)") } + [FormField("a", "x"), FormField("c", "y")])
        #expect(parameters.all("b1") == stride(from: 1, to: 40, by: 3).map(String.init))
        #expect(parameters.all("b") == [] && parameters.all("d") == [])
        #expect(try parameters["a"] == "x" && parameters["c"] == "y")
    }

    @Test("the same names again and again are refused at once")
    func flood() async {
        let code = await refusal {
            try RequestParameters((0..<30_000).map { FormField("\($0 % 15_000)", "") }).requireNoRepeats()
        }
        #expect(code == .invalidRequest)
    }

    @Test("a parameter with a NUL byte is invalid_request")
    func nul() async {
        let code = await refusal { _ = try parameters["code"] }
        #expect(code == .invalidRequest)
    }
}
