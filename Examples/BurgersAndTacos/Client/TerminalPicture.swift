import Foundation

/// A picture whose pixels are letters. On a terminal it is drawn in colours, with half blocks that show two rows in one
/// line.
struct TerminalPicture {
    let letters: String

    private static let colours: [Character: Int] = [
        "o": 172, "w": 230, "d": 52, "g": 70, "y": 220, "m": 94, "t": 221, "r": 160,
    ]

    var text: String { isatty(STDOUT_FILENO) == 1 ? coloured : plain }

    /// Only the expected characters, because the response must not control the terminal.
    private var plain: String { String(letters.filter { $0.isASCII && ($0.isLetter || $0 == "." || $0 == "\n") }) }

    private var coloured: String {
        let rows = plain.split(separator: "\n").map(Array.init)
        return stride(from: 0, to: rows.count, by: 2).map { top in
            rows[top].indices.map { column in
                let below = top + 1 < rows.count && column < rows[top + 1].count ? rows[top + 1][column] : "."
                return Self.block(Self.colours[rows[top][column]], Self.colours[below])
            }.joined() + "\u{1b}[0m"
        }.joined(separator: "\n")
    }

    private static func block(_ top: Int?, _ bottom: Int?) -> String {
        switch (top, bottom) {
        case (nil, nil): "\u{1b}[0m "
        case (let top?, nil): "\u{1b}[0m\u{1b}[38;5;\(top)m▀"
        case (nil, let bottom?): "\u{1b}[0m\u{1b}[38;5;\(bottom)m▄"
        case (let top?, let bottom?): "\u{1b}[38;5;\(top);48;5;\(bottom)m▀"
        }
    }
}
