import Foundation

/// Slips on which people get their passwords, as a PDF document.
package struct SlipDocument: Sendable {
    /// In the order in which they are handed out. Those of one class stand together and begin on a page of their own.
    let slips: [PasswordSlip]
    /// Where people sign in.
    let address: String
    let validUntil: Date
    /// The colour of the strap at the top, such as 0xa33f2c. White text must be readable on it.
    let colour: UInt32
    let language: SlipLanguage
    let layout: SlipLayout
    let madeAt: Date

    package init(
        _ slips: [PasswordSlip], address: String, validUntil: Date, colour: UInt32, language: SlipLanguage = .english,
        layout: SlipLayout = SlipLayout(), madeAt: Date
    ) {
        self.slips = slips
        self.address = address
        self.validUntil = validUntil
        self.colour = colour
        self.language = language
        self.layout = layout
        self.madeAt = madeAt
    }

    package struct Rendered: Sendable {
        package let pdf: Data
        /// Names with characters that no font of the system has: boxes stand in their place.
        package let namesWithoutFont: [String]
    }

    /// - Throws: if the document cannot be made, for want of memory.
    package func render() throws -> Rendered {
        let canvas = try PDFCanvas(
            width: layout.width, height: layout.height, language: language.rawValue,
            title: slips.first?.school ?? "", date: madeAt)
        var namesWithoutFont: [String] = []
        for pile in piles {
            let pages = stride(from: 0, to: pile.count, by: layout.slipsPerPage).map {
                pile[(pile.startIndex + $0)..<min(pile.endIndex, pile.startIndex + $0 + layout.slipsPerPage)]
            }
            for (index, page) in pages.enumerated() {
                if !layout.isOneAPage { drawMargin(of: page, language.page(index + 1, of: pages.count), on: canvas) }
                for (place, slip) in page.enumerated() {
                    let drawing = SlipDrawing(slip: slip, document: self, frame: layout.frame(place))
                    if !drawing.draw(on: canvas) { namesWithoutFont.append(slip.name) }
                }
                canvas.endPage()
            }
        }
        return Rendered(pdf: try canvas.finish(), namesWithoutFont: namesWithoutFont)
    }

    private var piles: [ArraySlice<PasswordSlip>] {
        var piles: [ArraySlice<PasswordSlip>] = []
        var start = 0
        for index in 1..<max(slips.count, 1) where !slips[index].isOfSamePile(as: slips[start]) {
            piles.append(slips[start..<index])
            start = index
        }
        return slips.isEmpty ? [] : piles + [slips[start...]]
    }

    /// The lines along which the page is cut, and above them which pile it belongs to.
    private func drawMargin(of page: ArraySlice<PasswordSlip>, _ number: String, on canvas: PDFCanvas) {
        let grey = PDFCanvas.Colour(0x9aa3a0)
        let frames = page.indices.map { layout.frame($0 - page.startIndex) }
        let bottom = frames.map { $0.y + $0.height }.max() ?? layout.margin
        let right = layout.width - layout.margin
        for row in 0...layout.rows {
            let y = layout.frame(0).y + Double(row) * layout.frame(0).height
            guard y <= bottom + 1 else { break }
            canvas.cut(from: (layout.margin, y), to: (right, y), grey)
        }
        for column in 0...layout.columns {
            let x = layout.margin + Double(column) * layout.frame(0).width
            canvas.cut(from: (x, layout.margin), to: (x, bottom), grey)
        }
        guard let first = page.first else { return }
        let text = [first.school, first.className, number].compactMap { $0 }.joined(separator: " · ")
        canvas.show(
            canvas.fit(text, .plain, size: 8, width: right - layout.margin, height: 12), x: layout.margin, y: 10,
            SlipDrawing.quiet)
    }
}
