import Foundation
import Testing

@testable import PasswordSlips

@Suite struct SlipDocumentTests {
    /// Names with which something could go wrong: scripts, directions, lengths.
    private static let names = [
        "Ana Núñez", "김민준", "渡邉 さくら", "प्रिया शर्मा", "Nguyễn Thị Ánh Nguyệt", "Дмитрий Ξένος",
        "Konstantinos Alexandros Papadimitriou-Vasilopoulos",
        (1...40).map { "Wolfeschlegelsteinhausen\($0)" }.joined(separator: " "),
    ]

    private static func slip(_ index: Int, className: String? = "Grade 4 B") -> PasswordSlip {
        PasswordSlip(
            school: "Maple High", className: className, name: "\(names[index % names.count]) No\(index).",
            userName: "pupil\(index)@maple.example", password: "kdmr-wqpe-\(1_000 + index)")
    }

    private static func document(
        _ slips: [PasswordSlip], _ language: SlipLanguage = .english, _ layout: SlipLayout = SlipLayout()
    ) -> SlipDocument {
        SlipDocument(
            slips, address: "id.maple.example", validUntil: Date(timeIntervalSince1970: 1_796_025_600),
            colour: 0x3a5aa6, language: language, layout: layout,
            madeAt: Date(timeIntervalSince1970: 1_788_249_600))
    }

    private static let layouts = SlipLayout.Paper.allCases.flatMap {
        [SlipLayout($0), SlipLayout($0, isOneAPage: true)]
    }

    @Test("each name, user name and password is there, once", arguments: SlipLanguage.allCases, layouts)
    func complete(_ language: SlipLanguage, _ layout: SlipLayout) throws {
        let slips = (0..<30).map { Self.slip($0) }
        let rendered = try Self.document(slips, language, layout).render()
        #expect(rendered.namesWithoutFont.isEmpty)
        let text = try Self.pages(of: rendered.pdf).joined()
        for slip in slips {
            for part in [slip.name, slip.userName, slip.password] {
                #expect(text.count(of: part.withoutSpace) == 1, "\(part)")
            }
        }
        for words in [language.address, language.userName, language.password, language.advice] {
            #expect(text.count(of: words.withoutSpace) == 30, "\(words)")
        }
        #expect(text.count(of: language.validity(until: Date(timeIntervalSince1970: 1_796_025_600)).withoutSpace) == 30)
    }

    @Test("names from right to left are whole, with their letters in order")
    func rightToLeft() throws {
        for name in ["شيماء عبد الرحمن", "מרים כהן"] {
            let slip = PasswordSlip(
                school: "Maple High", className: nil, name: name, userName: "a@maple.example", password: "4071")
            let rendered = try Self.document([slip]).render()
            #expect(rendered.namesWithoutFont.isEmpty)
            let text = try Self.pages(of: rendered.pdf).joined()
            #expect(text.count(of: name.withoutSpace) == 1, "\(text)")
        }
    }

    @Test("the slips of a class stand together, in their order, on pages of their own")
    func piles() throws {
        let slips =
            (0..<9).map { Self.slip($0, className: "4 A") } + (9..<12).map { Self.slip($0, className: "4 B") }
            + [Self.slip(12, className: nil)]
        let pages = try Self.pages(of: try Self.document(slips).render().pdf)
        let found = pages.map { page in slips.indices.filter { page.contains(slips[$0].password) } }
        #expect(found == [Array(0..<8), [8], [9, 10, 11], [12]])
        #expect(pages[1].contains("Page2of2") && pages[2].contains("Page1of1"))
        let single = try Self.pages(of: try Self.document(slips, .english, SlipLayout(isOneAPage: true)).render().pdf)
        #expect(
            single.map { page in slips.indices.filter { page.contains(slips[$0].password) } } == (0..<13).map { [$0] })
    }

    @Test("nothing lies outside of its slip, or over something else, however long it is", arguments: layouts)
    func room(_ layout: SlipLayout) throws {
        let long = PasswordSlip(
            school: String(repeating: "Kindertagesstätte ", count: 20),
            className: String(repeating: "Klasse ", count: 60),
            name: String(repeating: "Wolfeschlegelsteinhausen ", count: 80),
            userName: String(repeating: "x", count: 114) + "@maple.example", password: "kdmr-wqpe-7394")
        for language in SlipLanguage.allCases {
            let document = Self.document([long], language, layout)
            let lines = try Self.lines(of: document.render().pdf)
            let frame = layout.frame(0)
            let inside = lines.filter { $0.minY > layout.margin }
            #expect(!inside.isEmpty)
            for line in inside {
                #expect(line.minX >= frame.x && line.maxX <= frame.x + frame.width, "\(line)")
                #expect(line.minY >= frame.y && line.maxY <= frame.y + frame.height, "\(line)")
            }
        }
    }

    @Test("the same slips are the same bytes")
    func deterministic() throws {
        let document = Self.document((0..<40).map { Self.slip($0) }, .japanese)
        #expect(try document.render().pdf == document.render().pdf)
    }

    @Test("a name with letters of no font is told")
    func withoutFont() throws {
        // A character that is assigned to nothing.
        let slip = PasswordSlip(
            school: "Maple High", className: nil, name: "Ana \u{10FFFD}", userName: "a@maple.example", password: "4071")
        #expect(try Self.document([slip, Self.slip(0)]).render().namesWithoutFont == [slip.name])
    }

    @Test("a document without slips can be made")
    func none() throws { #expect(!(try Self.document([]).render().pdf.isEmpty)) }

    // MARK: Reading

    /// What each page says, without spaces and line breaks, because long names go over several lines.
    private static func pages(of pdf: Data) throws -> [String] {
        try text(of: pdf, ["-raw"]).split(separator: "\u{0C}", omittingEmptySubsequences: true)
            .map { String($0).withoutSpace }.filter { !$0.isEmpty }
    }

    /// Where words are, in points.
    private static func lines(of pdf: Data) throws -> [CGRect] {
        try text(of: pdf, ["-bbox"]).matches(
            of: /<word xMin="([\d.]+)" yMin="([\d.]+)" xMax="([\d.]+)" yMax="([\d.]+)">/
        ).compactMap { match in
            guard let x = Double(match.1), let y = Double(match.2), let right = Double(match.3),
                let bottom = Double(match.4)
            else { return nil }
            return CGRect(x: x, y: y, width: right - x, height: bottom - y)
        }
    }

    private static func text(of pdf: Data, _ options: [String]) throws -> String {
        let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).pdf")
        try pdf.write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/pdftotext")
        process.arguments = options + [file.path, "-"]
        let pipe = Pipe()
        process.standardOutput = pipe
        try process.run()
        let output = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
        return String(decoding: output, as: UTF8.self)
    }
}

extension String {
    /// Also without the marks by which pdftotext says which way text runs.
    fileprivate var withoutSpace: String {
        String(
            String.UnicodeScalarView(
                unicodeScalars.filter { !$0.properties.isWhitespace && !(0x202A...0x202E).contains($0.value) }))
    }

    fileprivate func count(of part: String) -> Int { ranges(of: part).count }
}
