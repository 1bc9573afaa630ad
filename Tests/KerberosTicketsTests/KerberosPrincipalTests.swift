import KerberosTickets
import Testing

@Suite struct KerberosPrincipalTests {
    @Test(
        "people are names of one part in a realm",
        arguments: [
            ("anna@MAPLE.EXAMPLE", "anna", "MAPLE.EXAMPLE"), ("anna.lee@maple.example", "anna.lee", "maple.example"),
            (#"back\\slash@R"#, #"back\slash"#, "R"),
            ("안나@MAPLE.EXAMPLE", "안나", "MAPLE.EXAMPLE"),
        ])
    func people(_ text: String, _ name: String, _ realm: String) throws {
        let principal = try #require(KerberosPrincipal(displayed: text))
        #expect(principal.name == name && principal.realm == realm)
    }

    @Test(
        "services, other accounts of a person, and what is no principal",
        arguments: [
            "host/pc7.maple.example@MAPLE.EXAMPLE", "anna/admin@MAPLE.EXAMPLE",
            "WELLKNOWN/ANONYMOUS@WELLKNOWN:ANONYMOUS",
            "anna", "", "@", "@MAPLE.EXAMPLE", "anna@", "a@b@c", #"anna\"#, #"an\nna@R"#, #"an\0na@R"#, "an\u{1}na@R",
            "an\u{7f}na@R", "PC7$@MAPLE.EXAMPLE", #"anna\@mail.example@MAPLE.EXAMPLE"#, #"a\/b@R"#,
            String(repeating: "a", count: 600) + "@R",
        ])
    func others(_ text: String) {
        #expect(KerberosPrincipal(displayed: text) == nil)
    }
}
