import Testing

@testable import Storage

@Suite struct StatementTextTests {
    @Test(
        "a text is found again however it was put together, and no other one instead", arguments: [0, 1, 7, 8, 9, 200])
    func keys(length: Int) {
        let text = String(repeating: "a", count: length)
        let pieces = String(text.prefix(length / 2)) + text.dropFirst(length / 2)
        #expect(StatementText(text) == StatementText(pieces))
        #expect(StatementText(text).hashValue == StatementText(pieces).hashValue)
        // Each differs in one place alone, at which the hash may not look.
        let others = (0..<length).map { place in text.prefix(place) + "b" + text.dropFirst(place + 1) }
        let all = Set(([text] + others.map(String.init)).map(StatementText.init))
        #expect(all.count == length + 1)
        for other in others { #expect(StatementText(String(other)) != StatementText(text)) }
    }
}
