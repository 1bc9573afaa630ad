import CommandOutput
import Testing

@Suite("Arguments of the form key=value")
struct KeyValueTests {
    @Test("The first sign divides; the value may hold more of them, or be empty")
    func divided() throws {
        let pair = try #require(KeyValue(argument: "url=https://a.test/?b=c"))
        #expect(pair.key == "url" && pair.value == "https://a.test/?b=c")
        let empty = try #require(KeyValue(argument: "realm="))
        #expect(empty.key == "realm" && empty.value.isEmpty)
    }

    @Test("Without a key or without a sign it is refused", arguments: ["", "=", "=value", "key"])
    func refused(_ text: String) {
        #expect(KeyValue(argument: text) == nil)
    }

    @Test("Of two values for one key the last one counts")
    func last() {
        let pairs = ["a=1", "b=2", "a=3"].compactMap(KeyValue.init)
        #expect(pairs.dictionary == ["a": "3", "b": "2"])
    }
}
