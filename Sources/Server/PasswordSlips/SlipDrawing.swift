/// Draws one slip into its frame. Lengths are those on a page of eight; a slip that has a page of its own is larger.
struct SlipDrawing {
    let slip: PasswordSlip
    let document: SlipDocument
    let frame: SlipLayout.Frame

    static let ink = PDFCanvas.Colour(0x171b1a)
    static let quiet = PDFCanvas.Colour(0x56605c)
    private static let white = PDFCanvas.Colour(0xffffff)

    private var scale: Double { document.layout.scale }

    /// - Returns: whether the fonts of the system have all characters of the name.
    func draw(on canvas: PDFCanvas) -> Bool {
        let inside = frame.inset(by: 9 * scale)
        let strap = drawStrap(in: inside, on: canvas)
        let (x, width) = (inside.x + 5 * scale, inside.width - 10 * scale)

        let advice = canvas.fit(
            "\(document.language.advice)\n\(document.language.validity(until: document.validUntil))", .plain,
            size: 7 * scale, width: width, height: 20 * scale)
        let bottom = inside.y + inside.height - advice.height
        canvas.show(advice, x: x, y: bottom, Self.quiet)

        let top = strap.y + strap.height + 5 * scale
        let blocks = fittedBlocks(width: width, height: bottom - top - 2 * scale, on: canvas)
        let free = bottom - top - blocks.reduce(0) { $0 + $1.height }
        let gap = min(7 * scale, free / Double(blocks.count))
        var y = top
        for block in blocks {
            for (line, colour) in block.lines {
                canvas.show(line, x: x, y: y, colour)
                y += line.height
            }
            y += gap
        }
        return blocks[0].lines[0].text.isComplete
    }

    private func drawStrap(in inside: SlipLayout.Frame, on canvas: PDFCanvas) -> SlipLayout.Frame {
        let strap = SlipLayout.Frame(x: inside.x, y: inside.y, width: inside.width, height: 25 * scale)
        canvas.fill(strap, radius: 5 * scale, PDFCanvas.Colour(document.colour))
        let school = canvas.fit(
            slip.school, .bold, size: 10.5 * scale, width: strap.width - 18 * scale, height: 22 * scale)
        canvas.show(school, x: strap.x + 9 * scale, y: strap.y + (strap.height - school.height) / 2, Self.white)
        return strap
    }

    /// Lines that stand together.
    private struct Block {
        var lines: [(text: PDFCanvas.Fitted, colour: PDFCanvas.Colour)]
        var height: Double { lines.reduce(0) { $0 + $1.text.height } }
    }

    /// Whose slip it is, where they sign in, and with what: all of it smaller if there is too much.
    private func fittedBlocks(width: Double, height: Double, on canvas: PDFCanvas) -> [Block] {
        var size = scale
        var blocks = blocks(width: width, size: size, on: canvas)
        while blocks.reduce(0, { $0 + $1.height }) > height {
            size *= 0.95
            blocks = self.blocks(width: width, size: size, on: canvas)
        }
        return blocks
    }

    private func blocks(width: Double, size: Double, on canvas: PDFCanvas) -> [Block] {
        func fit(
            _ text: String, _ face: PDFCanvas.Face, _ points: Double, height: Double, oneLineMin: Double? = nil
        ) -> PDFCanvas.Fitted {
            canvas.fit(
                text, face, size: points * size, width: width, height: height * size,
                oneLineMin: oneLineMin.map { $0 * size })
        }
        func labelled(_ label: String, _ value: PDFCanvas.Fitted) -> Block {
            Block(lines: [(fit(label, .plain, 7, height: 9), Self.quiet), (value, Self.ink)])
        }
        let words = document.language
        var person = Block(lines: [(fit(slip.name, .bold, 14, height: 34, oneLineMin: 11), Self.ink)])
        if let className = slip.className {
            person.lines.append((fit(className, .plain, 8.5, height: 11), Self.quiet))
        }
        return [
            person,
            labelled(words.address, fit(document.address, .plain, 9.5, height: 13, oneLineMin: 6)),
            labelled(words.userName, fit(slip.userName, .code, 10, height: 24, oneLineMin: 7)),
            labelled(words.password, fit(slip.password, .boldCode, 16, height: 20)),
        ]
    }
}
