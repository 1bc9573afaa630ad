import Testing

@testable import ServerPages

@Suite struct SentencePatternTests {
    @Test(
        "gaps are filled, and everything else stays as it is",
        arguments: [
            ("Sign in", "Sign in"), ("Connect {app} to {organization}", "Connect [app] to [organization]"),
            ("{app}", "[app]"), ("{app}{app}", "[app][app]"), ("{}", "{}"), ("{two words}", "{two words}"),
            ("{{app}}", "{[app]}"), ("{open", "{open"), ("close}", "close}"), ("{app", "{app"), ("", ""),
            ("学期「{term}」は{day}に終わります。", "学期「[term]」は[day]に終わります。"), ("{é}", "{é}"),
        ])
    func fills(_ text: String, _ filled: String) {
        #expect(SentencePattern(text).filled { "[\($0)]" } == filled)
    }

    @Test("a gap without a word stays as it is")
    func keeps() {
        #expect(SentencePattern("Connect {app}").filled { _ in nil } == "Connect {app}")
    }
}
