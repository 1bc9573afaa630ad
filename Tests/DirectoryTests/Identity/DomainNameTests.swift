import Directory
import Testing

@Suite struct DomainNameTests {
    @Test(
        "labels of letters, digits and inner hyphens, with dots between",
        arguments: [
            "maple.example", "a.b", "1.2", "xn--mnchen-3ya.example", "a-b.c--d.example", "MAPLE.Example",
            String(repeating: "a", count: 63) + ".example",
            [63, 63, 63, 61].map { String(repeating: "a", count: $0) }.joined(separator: "."),
        ])
    func wellFormed(_ name: String) {
        #expect(DomainName.isWellFormed(name))
    }

    @Test(
        "anything else is no domain name",
        arguments: [
            "", ".", "example", "localhost", ".example", "maple.example.", "maple..example", "-maple.example",
            "maple-.example", "maple.-example", "maple_district.example", "maple district.example", "mäple.example",
            "maple.example:443", "a+b.example", "[127.0.0.1]", "maple.example/x", "maple\u{0}.example",
            String(repeating: "a", count: 64) + ".example",
            [63, 63, 63, 62].map { String(repeating: "a", count: $0) }.joined(separator: "."),
        ])
    func malformed(_ name: String) {
        #expect(!DomainName.isWellFormed(name))
    }
}
