import Foundation
import Ground
import SingleSignOnWire
import Testing

@testable import SingleSignOnClient

@Suite struct SelfPostingFormTests {
    private let url = URL(string: "https://id.acme.test/realms/staff/saml?x=1")!

    private func read(_ page: String) -> SelfPostingForm? { SelfPostingForm(page: Data(page.utf8), url: url) }

    @Test func `a little form is read as browsers read it`() throws {
        let form = try #require(
            read(
                """
                <!doctype html><!-- <form action="https://evil.test/"><input name=x> --><title>a &lt; b</title>
                <BODY onload='document.forms[0].submit()'><form METHOD="Post" action="/acs?a=1&amp;b=2" action="/other">
                <input type="hidden" name="SAMLResponse" value='&lt;a b=&quot;c&quot;&gt;&#x20AC;&#228;&unknown; &'/>
                <input name=RelayState type=hidden value=plain/slash><input type=hidden name=empty>
                <input type=submit name=go value=Go></form><script>"<form>".length</script></BODY>
                """))
        #expect(form.action.absoluteString == "https://id.acme.test/acs?a=1&b=2")
        #expect(form.isPost)
        #expect(
            form.fields == [
                FormField("SAMLResponse", "<a b=\"c\">€ä&unknown; &"),
                FormField("RelayState", "plain/slash"), FormField("empty", ""),
            ])
        #expect(
            form.encoded
                == "SAMLResponse=%3Ca%20b%3D%22c%22%3E%E2%82%AC%C3%A4%26unknown%3B%20%26&RelayState=plain%2Fslash&empty="
        )
    }

    @Test(arguments: [
        "<form method=post action=https://a.test/><input type=hidden name=a></form>",
        "<form method=post><input name=user></form><script>x.submit()</script>",
        "<form method=post><input type=password name=p></form><script>x.submit()</script>",
        "<form method=post><textarea name=t></textarea></form><script>x.submit()</script>",
        "<form></form><form></form><script>x.submit()</script>",
        "<form method=post enctype=multipart/form-data></form><script>x.submit()</script>",
        "<form method=post action=http://a.test/></form><script>x.submit()</script>",
        "<form method=post action=javascript:alert(1)></form><script>x.submit()</script>",
        "{\"access_token\":1}", "", "<form", "<form a='", "<input type=hidden", "<!-- <form> .submit()",
    ])
    func `a page that wants a person, or leads elsewhere, is handed on as it is`(page: String) {
        #expect(read(page) == nil)
    }

    @Test func `a page that is large and broken is read in no time`() {
        let start = ContinuousClock.now
        for part in [
            "<form ", "<", "<a", "&", "<script></script>", "<SCRIPT></SCRIPT >", "<!--", "<input type='",
            "<form><input type=hidden name=a value=&#",
        ] {
            _ = read(String(repeating: part, count: (128 << 10) / part.utf8.count) + ".submit()")
        }
        #expect(ContinuousClock.now - start < .seconds(60))
    }
}
