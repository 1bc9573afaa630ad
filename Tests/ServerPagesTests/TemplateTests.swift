import Testing

@testable import ServerPages

/// The part of [Mustache's specification](https://github.com/mustache/spec) that the pages use.
@Suite struct TemplateTests {
    private func render(
        _ source: String, _ values: Content = [:], others: [String: String] = [:],
        sentences: String = #"{"page":{"plain":"<One> & two","named":"For {name}"}}"#
    ) throws -> String {
        let catalogue = try Catalogue(.english, json: [Array(sentences.utf8)])
        return try Templates(others.merging(["main": source]) { $1 })
            .render("main", with: values, sentenceValues: values, in: catalogue)
    }

    @Test("values are escaped byte by byte, and not where the template says so")
    func variables() throws {
        let values: Content = ["a": .text("<\u{301}\"'&>"), "n": .count(12_345), "yes": .flag(true), "no": .absent]
        #expect(
            try render("{{a}}|{{ a }}|{{{a}}}|{{&a}}|{{nobody}}|{{n}}|{{yes}}|{{no}}", values)
                == "&lt;\u{301}&quot;&#39;&amp;&gt;|&lt;\u{301}&quot;&#39;&amp;&gt;|<\u{301}\"'&>|<\u{301}\"'&>||12,345|true|false"
        )
    }

    @Test("a sentence is one of the catalogue, with the page's values, and escaped")
    func sentences() throws {
        let values: Content = ["name": .text("Mira"), "group": .group(["name": .text("Otto")])]
        #expect(try render("{{text.page.plain}}", values) == "&lt;One&gt; &amp; two")
        // A sentence knows the page, and not where in the page it stands.
        #expect(try render("{{#group}}{{name}}: {{text.page.named}}{{/group}}", values).hasPrefix("Otto: For "))
        #expect(try render("{{#group}}{{text.page.named}}{{/group}}", values).contains("Mira"))
        #expect(try render("{{heading}}", ["heading": .sentence(Sentence("page.plain"))]) == "&lt;One&gt; &amp; two")
        #expect(try Templates(["main": "{{#a}}{{text.page.plain}}{{/a}}"]).sentenceKeys == ["page.plain"])
    }

    @Test("a section shows what is there, each item of a list, and nothing that is off, empty or absent")
    func sections() throws {
        let values: Content = [
            "on": .flag(true), "off": .flag(false), "text": .text(""), "empty": .list([]),
            "list": .list([["x": .text("1")], ["x": .text("2"), "outer": .text("inner")]]), "outer": .text("page"),
            "group": .group(["x": .text("g")]), "address": .address("a@b.c"),
        ]
        let source = "{{#NAME}}[{{x}}{{.}}{{outer}}]{{/NAME}}{{^NAME}}none{{/NAME}}"
        for (name, expected) in [
            ("on", "[page]"), ("off", "none"), ("text", "[page]"), ("empty", "none"), ("nobody", "none"),
            ("list", "[1page][2inner]"), ("group", "[gpage]"),
        ] {
            #expect(try render(source.replacing("NAME", with: name), values) == expected, "\(name)")
        }
        let parts = "{{#address}}{{#parts}}{{^isFirst}}|{{/isFirst}}{{part}}{{/parts}}{{/address}}"
        #expect(try render(parts, values) == "a@|b.c")
        // What is off within hides what is on outside.
        #expect(
            try render("{{#group}}{{#on}}on{{/on}}{{/group}}", ["on": .flag(true), "group": .group(["on": .absent])])
                == "")
        #expect(try render("{{#text}}<{{.}}>{{/text}}", ["text": .text("a&b")]) == "<a&amp;b>")
    }

    @Test("a tag that stands alone takes its line along, and no other one does")
    func lines() throws {
        let on: Content = ["a": .flag(true), "v": .text("v")]
        #expect(try render("x\n{{#a}}\ny\n{{/a}}\nz\n", on) == "x\ny\nz\n")
        #expect(try render("x\n  {{#a}}  \ny\n\t{{/a}}\nz", on) == "x\ny\nz")
        #expect(try render("x {{#a}}\ny\n{{/a}} z\n", on) == "x \ny\n z\n")
        #expect(try render("{{#a}}{{/a}}\nz\n", on) == "\nz\n")
        #expect(try render("{{! why }}\nz{{! more }}\n", on) == "z\n")
        #expect(try render("{{v}}\n{{v}}", on) == "v\nv")
        #expect(try render("{{#a}}\nx{{/a}}", on) == "x")
        #expect(try render("x\n{{>p}}\ny\n", on, others: ["p": "[{{v}}]\n"]) == "x\n[v]\ny\n")
    }

    @Test("a parent shows the blocks that it is given, and its own where there is none")
    func parents() throws {
        let layout = "<{{title}}>\n{{$content}}nothing{{/content}}\n{{$foot}}foot{{/foot}}\n"
        let others = [
            "layout": layout, "wide": "{{<layout}}{{$content}}wide {{$inner}}{{/inner}}{{/content}}{{/layout}}",
        ]
        let values: Content = ["title": .text("t")]
        let page = "{{<layout}}\n{{$content}}\n{{title}}\n{{/content}}\nignored\n{{/layout}}\n"
        #expect(try render(page, values, others: others) == "<t>\nt\n\nfoot\n")
        #expect(try render("{{>layout}}", values, others: others) == "<t>\nnothing\nfoot\n")
        #expect(
            try render("{{<wide}}{{$foot}}f{{/foot}}{{$inner}}i{{/inner}}{{/wide}}", values, others: others)
                == "<t>\nwide i\nf\n")
    }

    @Test(
        "what cannot be read is told with its line",
        arguments: [
            ("a\n{{#b}}", "line 2: there is no {{/b}}"), ("{{#a}}{{/b}}", "line 1: {{/b}} ends what was not begun"),
            ("{{/a}}", "line 1: {{/a}} ends what was not begun"), ("{{a", "line 1: a tag is not closed"),
            ("{{", "a tag is not closed"),
            ("{{}}", "a tag has no name"), ("{{=<% %>=}}", "a tag begins with ="),
            ("{{a.b}}", "a.b has a dot, and is no sentence"),
            ("{{<p}}{{$b}}{{$b}}{{/b}}{{/b}}{{/p}}", "the block b has a block of the same name"),
            ("{{#text.page.plain}}{{/text.page.plain}}", "has a dot"),
            ("\n\n{{% X: Y}}", "line 3: a tag begins with %"),
        ])
    func mistakes(source: String, reason: String) {
        let error = #expect(throws: PagesError.self) { try Templates(["main": source]) }
        guard case .brokenTemplate("main", let told)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(told.contains(reason), "\(told)")
    }

    @Test("a partial that does not exist is told, also within a section or a block")
    func missingPartials() {
        for source in ["{{>other}}", "{{#a}}{{>other}}{{/a}}", "{{<main2}}{{$b}}{{>other}}{{/b}}{{/main2}}"] {
            #expect(throws: PagesError.missingPartial(name: "other", template: "main")) {
                try Templates(["main": source, "main2": "{{$b}}{{/b}}"])
            }
        }
    }
}
