import Authorization
import Ground
import Testing

@testable import ServerHTTP
@testable import TestServers

@Suite struct ConsoleInputTests {
    private static let long = String(repeating: "Ab ", count: 40) + "Z"

    @Test(
        "a name is typed as it is, or as pages show it if it is long",
        arguments: [
            ("Ana Álvarez", "Ana Álvarez", true), ("Ana Álvarez", "  Ana Álvarez ", true),
            ("Ana Álvarez", "Ana Alvarez", false),
            ("Ana Álvarez", "ana álvarez", false), ("Ana Álvarez", "", false), (long, long, true),
            (long, String(long.prefix(79)) + "…", true), (long, String(long.prefix(79)), false),
        ])
    func names(name: String, typed: String, isName: Bool) throws {
        let input = ConsoleInput(RequestParameters([FormField("name", typed)]))
        #expect(try input.repeats(name) == isName)
    }

    @Test("a name that nobody has typed is none")
    func missing() throws {
        #expect(try !ConsoleInput(RequestParameters([])).repeats("Ana"))
    }
}
