import Ground
import Testing

@Suite struct HasNULTests {
    @Test("a NUL is found wherever it stands, in short texts and long ones")
    func found() {
        for count in [0, 1, 15, 16, 300] {
            for letter in ["a", "é"] {
                let text = String(repeating: letter, count: count)
                #expect(!text.hasNUL)
                #expect(("\0" + text).hasNUL && (text + "\0").hasNUL && (text + "\0" + text).hasNUL)
            }
        }
    }
}
