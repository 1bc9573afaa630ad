import Foundation
import Ground
@testable import OpenIDExtension
import SingleSignOnWire
import Testing
import WebClient

@Suite struct SignInPageTests {
    private static let url = URL(string: "https://id.acme.test/sign-in?request=1")!

    private static func reply(_ html: String) -> HTTPReply {
        HTTPReply(status: 200, headers: [HeaderField("Content-Type", "text/html")], body: Data(html.utf8))
    }

    private func page(_ html: String, type: String = "text/html; charset=utf-8") throws -> SignInPage {
        let reply = HTTPReply(status: 200, headers: [HeaderField("content-type", type)], body: Data(html.utf8))
        return try #require(
            SignInPage(reply, from: Self.url) { $0.host() == "id.acme.test" }, "it is no page at all")
    }

    private func question(_ html: String) throws -> PageForm {
        guard case .question(let form) = try page(html).meaning else {
            throw Unexpected(meaning: "\(try page(html).meaning)")
        }
        return form
    }

    private struct Unexpected: Error { let meaning: String }

    @Test func `a form with a password is shown with the page's own words`() throws {
        let html = """
            <title>Acme</title><h1>Welcome <b>back</b></h1>
            <form method=post action="/go"><input type=hidden name=csrf value="1&amp;2">
            <label for=u>E-mail</label><input id=u name=username type=email value="ana@acme.test">
            <label>Password <input type=password name=p></label>
            <label><input type=checkbox name=remember value=yes checked> Stay signed in</label>
            <button>Go on</button></form>
            """
        let form = try question(html)
        let question = Question(form, on: try page(html), username: nil)
        #expect(
            question.presentation(problem: nil)
                == PresentationForm(
                    title: "Welcome back", text: "id.acme.test", problem: nil,
                    fields: [
                        .init("1", label: "E-mail", kind: .text, value: "ana@acme.test"),
                        .init("2", label: "Password", kind: .password),
                        .init("3", label: "Stay signed in", kind: .checkbox, value: "true"),
                    ], submit: "Go on"))
        guard case .send(let request) = question.answer(["1": "ana", "2": "a b&c"]) else {
            Issue.record("nothing is sent")
            return
        }
        #expect(request.url.absoluteString == "https://id.acme.test/go")
        #expect(request.body == Data("csrf=1%262&username=ana&p=a%20b%26c".utf8))
    }

    @Test func `a form is sent where a browser would send it`() throws {
        let fields = "<input name=user><input type=password name=p>"
        for (html, target) in [
            // An empty action is the page, whatever its base is.
            ("<base href=/static/><form method=post>\(fields)</form>", "/sign-in?request=1"),
            ("<base href=/static/><form method=post action=''>\(fields)</form>", "/sign-in?request=1"),
            ("<base href=/static/><form method=post action=in>\(fields)</form>", "/static/in"),
            ("<form method=post action=/a>\(fields)<button formaction=/b>Sign in</button></form>", "/b"),
            (
                "<form method=post action=/a>\(fields)<button>In</button><button formaction=/b>Deny</button></form>",
                "/a"
            ),
        ] {
            #expect(try question(html).action.absoluteString == "https://id.acme.test\(target)", "\(html)")
        }
        let elsewhere = "<form method=post>\(fields)<button formaction=https://evil.test/>Sign in</button></form>"
        guard case .unreadable = try page(elsewhere).meaning else {
            throw Unexpected(meaning: "a password goes to somebody else")
        }
    }

    @Test func `the profile's user name is filled in where the page has none`() throws {
        let html = "<form method=post><input name=login><input type=password name=p></form>"
        let form = Question(try question(html), on: try page(html), username: "ana").presentation(problem: nil)
        #expect(form.fields.map(\.value) == ["ana", nil])
    }

    @Test func `a step for the user name alone is a question`() throws {
        let form = try question(
            "<form method=post action=/next><input type=text name=identifier autocomplete=username></form>")
        #expect(form.controls.map(\.isUserName) == [true])
    }

    @Test(arguments: [
        // It would go to somebody else, into the address, or nowhere that is known.
        "<form method=post action=https://evil.test/><input name=user><input type=password name=p></form>",
        "<form><input name=user><input type=password name=p></form>",
        "<form method=post enctype=multipart/form-data><input name=user><input type=password name=p></form>",
        "<div id=root></div><script src=/app.js></script>",
        "<form method=post action=/search><input name=q><button>Search</button></form>",
        "<h1>Hello</h1>", "",
    ])
    func `what people type goes to the provider by POST, or the page is left alone`(html: String) throws {
        let reply = HTTPReply(status: 200, headers: [HeaderField("Content-Type", "text/html")], body: Data(html.utf8))
        let page = SignInPage(reply, from: Self.url) { $0.host() == "id.acme.test" }
        switch page?.meaning {
        case .unreadable, nil: break
        case .question(let form): #expect(!form.hasPassword && form.rank < 1, "\(html)")
        case .selfPosting, .refresh: Issue.record("\(html) is not to be followed")
        }
    }

    @Test func `an answer of SAML goes by itself, out of the provider and within it`() throws {
        for (action, body) in [
            ("https://sp.test/acs", ""), ("/saml/acs", ""),
            ("https://sp.test/acs", "<noscript><input type=submit value=Continue></noscript>"),
        ] {
            let html = """
                <body onload="document.forms[0].submit()"><form method="post" action="\(action)">
                <input type="hidden" name="SAMLResponse" value="PHNh+bWw=">
                <input type="hidden" name="RelayState" value="a&quot;b">\(body)</form>
                """
            guard case .selfPosting(let form) = try page(html).meaning else {
                throw Unexpected(meaning: "\(try page(html).meaning)")
            }
            #expect(form.fixedFields == [FormField("SAMLResponse", "PHNh+bWw="), FormField("RelayState", "a\"b")])
        }
    }

    @Test func `a decision is not made for anybody`() throws {
        let html = """
            <h1>Share with Burgers?</h1><nav><form method=post action=/logout><button>Sign out</button></form></nav>
            <form method=post action=/switch><input type=hidden name=a value=1><button>Not you?</button></form>
            <form method=post action=/decide><input type=hidden name=a value=1>
            <button name=decision value=deny>No</button><button name=decision value=allow>Allow</button></form>
            <script>something()</script>
            """
        let form = try question(html)
        #expect(form.action.path() == "/decide")
        #expect(form.button?.value == "allow")
    }

    @Test func `of several choices one has to be ticked`() throws {
        let html = """
            <form method=post action=/decide><button name=d value=deny>Cancel</button>
            <label><input type=radio name=mail value=share> Share</label>
            <label><input type=radio name=mail value=hide> Hide</label><button name=d value=ok>OK</button></form>
            """
        let question = Question(try question(html), on: try page(html), username: nil)
        #expect(question.presentation(problem: nil).fields.map(\.kind) == [.checkbox, .checkbox])
        for wrong in [[:], ["0": "true", "1": "true"]] {
            guard case .incomplete = question.answer(wrong) else {
                Issue.record("\(wrong) was sent")
                return
            }
        }
        guard case .send(let request) = question.answer(["1": "true"]) else {
            Issue.record("nothing is sent")
            return
        }
        #expect(request.body == Data("mail=hide&d=ok".utf8))
    }

    @Test func `what went wrong is said in the page's words`() throws {
        let form = "<form method=post><input name=user><input type=password name=p></form>"
        #expect(try page("<p role=alert>Wrong  password.</p>" + form).problem == "Wrong password.")
        #expect(try page("<div class='alert alert-danger'>Nope</div>" + form).problem == "Nope")
        #expect(try page("<p role=alert hidden>Wrong</p>" + form).problem == nil)
        #expect(try page(form).problem == nil)
    }

    @Test func `a page may lead on by itself`() throws {
        guard case .refresh(let url) = try page("<meta http-equiv=Refresh content=\"0; URL='/next?a=1'\">").meaning
        else { throw Unexpected(meaning: "no refresh") }
        #expect(url.absoluteString == "https://id.acme.test/next?a=1")
        guard case .unreadable = try page("<meta http-equiv=refresh content='600;url=/next'>").meaning else {
            throw Unexpected(meaning: "a page that reloads itself some day is followed")
        }
    }

    @Test func `pages in other alphabets and encodings are read`() throws {
        #expect(try page("<h1>サインイン</h1>", type: "text/html").heading == "サインイン")
        let latin = HTTPReply(
            status: 200, headers: [HeaderField("Content-Type", "text/html; charset=ISO-8859-1")],
            body: Data([0x3c, 0x68, 0x31, 0x3e, 0xe9, 0x3c, 0x2f, 0x68, 0x31, 0x3e]))
        #expect(SignInPage(latin, from: Self.url) { _ in true }?.heading == "é")
    }

    @Test func `broken and hostile pages do no harm`() throws {
        for html in [
            String(repeating: "<div>", count: 100_000), String(repeating: "<form><input name=a", count: 5_000),
            "<!DOCTYPE x [<!ENTITY a SYSTEM 'file:///etc/passwd'>]><h1>&a;</h1>",
        ] { _ = SignInPage(Self.reply(html), from: Self.url) { _ in true } }
        #expect(
            !(try page("<!DOCTYPE x [<!ENTITY a SYSTEM 'file:///etc/passwd'>]><h1>x&a;</h1>").heading.contains("root")))
    }

    private static let hidden = "<input type=hidden name=csrf value=1>"

    /// What a page with jQuery looks like.
    private static let script = "<script>function s(f){f.submit()} x.click()</script>"

    @Test(arguments: [
        "<form method=post action=/decide>\(SignInPageTests.hidden)<button>Allow</button></form>",
        "<form method=post action=/delete>\(SignInPageTests.hidden)<input type=submit value=Delete></form>",
        "<form method=post action=/decide>\(SignInPageTests.hidden)<button type=button onclick='s(this.form)'>Allow</button></form>",
        "<form method=post action=/decide id=f>\(SignInPageTests.hidden)</form><button form=f>Allow</button>",
        "<form method=post action=/decide>\(SignInPageTests.hidden)</form><a href='#' class=allow>Allow</a>",
        "<form method=post action=/decide>\(SignInPageTests.hidden)</form><div role=button>Allow</div>",
        // What a form for a decision carries in OpenID Connect.
        """
        <form method=post action=/decide><input type=hidden name=code value=1><input type=hidden name=state value=1>
        <input type=hidden name=id_token value=1><button>Allow</button></form>
        """,
        "<form method=post action=https://app.test/go>\(SignInPageTests.hidden)<button>Go to the app</button></form>",
        // A link that a script lets send a form.
        "<a id=out href=/logout>Sign out</a><form method=post action=/logout>\(SignInPageTests.hidden)</form>",
        // Where to sign in is somebody's choice.
        """
        <form method=post action=https://a.test/><input type=hidden name=SAMLRequest value=1><button>A</button></form>
        <form method=post action=https://b.test/><input type=hidden name=SAMLRequest value=1><button>B</button></form>
        """,
    ])
    func `nothing is pressed for anybody, whatever scripts the page has`(html: String) throws {
        switch try page(html + Self.script).meaning {
        case .question(let form): #expect(form.action.host() == "id.acme.test")
        case .unreadable: break
        case .selfPosting, .refresh: Issue.record("\(html) goes by itself")
        }
    }

    @Test func `a form without a button goes by itself if a script sends it`() throws {
        for (html, goes) in [
            ("<form method=post action=/next>\(Self.hidden)<noscript><button>Go on</button></noscript></form>", true),
            ("<form method=post action=/next>\(Self.hidden)<template><button>No</button></template></form>", true),
            ("<template><form method=post action=/next>\(Self.hidden)</form></template>", false),
        ] {
            guard case .selfPosting(let form) = try page(html + Self.script).meaning else {
                #expect(!goes, "\(html)")
                continue
            }
            #expect(goes && form.fixedFields.map(\.name) == ["csrf"], "\(html)")
        }
        guard case .unreadable = try page("<form method=post action=/next>\(Self.hidden)</form>").meaning else {
            throw Unexpected(meaning: "a form within the provider goes without a script")
        }
    }

    @Test func `a message of SAML within the provider goes although it has a button`() throws {
        for name in ["SAMLRequest", "SAMLResponse", "wresult"] {
            let field = "<input type=hidden name=\(name) value=1>"
            let html = "<form method=post action=/acs>\(field)<button>Go</button></form>"
            guard case .selfPosting = try page(html).meaning else { throw Unexpected(meaning: name) }
        }
    }

    @Test(arguments: [
        "<form method=post action=https://social.test/>\(SignInPageTests.hidden)<button>Sign in with Social</button></form>",
        "<form method=post action=https://social.test/>\(SignInPageTests.hidden)</form>",
        """
        <form method=post action=https://social.test/><input type=hidden name=SAMLRequest value=1>
        <button>Sign in with Social</button></form>
        """,
    ])
    func `another way to sign in is not gone instead of the password`(other: String) throws {
        let password = "<form method=post action=/go><input name=user><input type=password name=p></form>"
        for html in [other + password, password + other, other + password + Self.script] {
            #expect(try question(html).hasPassword)
        }
    }

    /// One megabyte each.
    private static let bombs = [
        "forms with names": (0..<19_000).map { "<form id=f\($0)><input form=f\($0)></form>" }.joined(),
        "words": String(repeating: "<div role=alert>", count: 60) + String(repeating: " ", count: 1 << 20),
        "labels": "<form method=post>" + String(repeating: "<label>", count: 60)
            + String(repeating: "x ", count: 1 << 19) + "<input type=password name=p>",
        "elements": String(repeating: "<p><label>x</label>", count: 55_000),
        "attributes": "<form" + (0..<130_000).map { " a\($0)" }.joined() + ">",
        "levels": String(repeating: "<label>", count: 150_000) + "x",
    ]

    @Test(arguments: SignInPageTests.bombs.keys.sorted())
    func `a page that takes long to read holds nobody up`(name: String) throws {
        let reply = Self.reply(Self.bombs[name, default: ""])
        let time = ContinuousClock().measure { _ = SignInPage(reply, from: Self.url) { _ in true } }
        #expect(time < .seconds(60))
    }

    @Test func `pages that are too large or too deep are none`() throws {
        for html in [String(repeating: "<p>a</p>", count: 20_000), String(repeating: "<div>", count: 70)] {
            #expect(SignInPage(Self.reply(html), from: Self.url) { _ in true } == nil)
        }
        let large = String(repeating: "<p>a</p>", count: 10_000) + String(repeating: "<div>", count: 40)
        #expect(try page("<h1>" + String(repeating: "a b ", count: 1_000) + "</h1>" + large).heading.count == 999)
    }
}
