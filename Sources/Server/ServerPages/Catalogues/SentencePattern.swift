/// A sentence of a catalogue, taken apart once: text, and the `{named}` gaps in it.
struct SentencePattern: Sendable {
    private enum Piece: Sendable {
        case text(String)
        case gap(String)
    }

    private let pieces: [Piece]

    /// - Parameter text: names of gaps are made of ASCII letters, digits and `_`; other braces are text.
    init(_ text: String) {
        var pieces: [Piece] = []
        var rest = text[...]
        while let open = rest.firstIndex(of: "{") {
            let inside = rest[rest.index(after: open)...]
            let name = inside.prefix { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_") }
            guard !name.isEmpty, name.endIndex < inside.endIndex, inside[name.endIndex] == "}" else {
                pieces.append(.text(String(rest[...open])))
                rest = inside
                continue
            }
            if open > rest.startIndex { pieces.append(.text(String(rest[..<open]))) }
            pieces.append(.gap(String(name)))
            rest = inside[inside.index(after: name.endIndex)...]
        }
        if !rest.isEmpty { pieces.append(.text(String(rest))) }
        self.pieces = pieces
    }

    /// The names of the gaps.
    var gaps: [String] {
        pieces.compactMap { if case .gap(let name) = $0 { name } else { nil } }
    }

    /// The sentence with its gaps filled; one without a word stays as it is.
    func filled(_ word: (String) -> String?) -> String {
        // Most have no gaps.
        if pieces.count == 1, case .text(let text) = pieces[0] { return text }
        return pieces.map { piece in
            switch piece {
            case .text(let text): text
            case .gap(let name): word(name) ?? "{\(name)}"
            }
        }.joined()
    }
}
