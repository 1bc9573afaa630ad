extension String {
    /// The number of terminal columns that the text takes: two for an East Asian wide character or an emoji.
    package var displayWidth: Int { reduce(0) { $0 + $1.displayWidth } }
}

extension Character {
    /// Zero, one or two columns. Combining marks and joiners belong to a character and add none.
    fileprivate var displayWidth: Int {
        guard let first = unicodeScalars.first else { return 0 }
        if first.properties.generalCategory == .format { return 0 }
        let isEmoji = first.properties.isEmojiPresentation || unicodeScalars.contains("\u{FE0F}")
        return isEmoji || first.isEastAsianWide ? 2 : 1
    }
}

extension Unicode.Scalar {
    /// Whether the scalar is in a wide or full-width block. Unicode Standard Annex #11.
    fileprivate var isEastAsianWide: Bool {
        switch value {
        case 0x1100...0x115F,  // Hangul Jamo, initial consonants
            0x2E80...0x303E,  // radicals, punctuation
            0x3041...0x33FF,  // kana, Bopomofo, compatibility Jamo, squared words
            0x3400...0x4DBF, 0x4E00...0x9FFF, 0x20000...0x3FFFD,  // ideographs
            0xA000...0xA4CF,  // Yi
            0xA960...0xA97F, 0xAC00...0xD7A3,  // Hangul
            0xF900...0xFAFF,  // compatibility ideographs
            0xFE30...0xFE6F,  // vertical and small forms
            0xFF00...0xFF60, 0xFFE0...0xFFE6:  // full-width forms
            true
        default: false
        }
    }
}
