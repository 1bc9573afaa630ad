import Testing

@testable import ServerPages

@Suite struct ToneTests {
    @Test("what is drawn without the style sheet has its colours", arguments: Tone.allCases)
    func codes(_ tone: Tone) {
        let sheet = String(decoding: PackageResources.lanyard_css, as: UTF8.self)
        let code = String(tone.code, radix: 16)
        #expect(sheet.contains(".tone-\(tone.number) { --tone: #\(code); fill: #\(code); }"))
    }
}
