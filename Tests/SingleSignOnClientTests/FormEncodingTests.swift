import SingleSignOnWire
import Testing

@Suite struct FormEncodingTests {
    @Test func `what was encoded is decoded, and a percent sign without two digits is one`() {
        let fields = [FormField("a b", "1&2=3+ä%"), FormField("empty", "")]
        #expect(FormEncoding.decode(FormEncoding.encode(fields)) == fields)
        #expect(
            FormEncoding.decode("a=%+5&b=%-5&c=%4&d=%&e=%zz&f=%4A") == [
                FormField("a", "% 5"), FormField("b", "%-5"), FormField("c", "%4"), FormField("d", "%"),
                FormField("e", "%zz"), FormField("f", "J"),
            ])
    }
}
