extension String {
    /// Whether the text contains an invisible character, or one that changes the direction of the text after it. Two
    /// names that look alike must be equal, and a name must not rearrange the page around it.
    package var holdsInvisible: Bool {
        guard unicodeScalars.contains(where: \.isInvisible) else { return false }
        let scalars = Array(unicodeScalars)
        return scalars.indices.contains { place in
            let scalar = scalars[place]
            guard scalar.isInvisible else { return false }
            guard scalar.isJoiner, place > 0, place + 1 < scalars.count else { return true }
            return !scalars[place - 1].takesJoiners || !scalars[place + 1].takesJoiners
        }
    }

    /// Whether the text can be the identifier of a record in another system: letters and digits of any script, and
    /// common punctuation. No space at either end, and no invisible characters.
    package var isSourceIdentifier: Bool {
        guard let first = unicodeScalars.first, let last = unicodeScalars.last, first != " ", last != " " else {
            return false
        }
        return unicodeScalars.allSatisfy(\.mayStandInIdentifier) && !first.properties.generalCategory.isMark
    }
}

extension Unicode.Scalar {
    /// Zero width non-joiner and joiner: part of the spelling of Persian, of Indian languages and of emoji.
    fileprivate var isJoiner: Bool { self == "\u{200C}" || self == "\u{200D}" }

    fileprivate var isInvisible: Bool {
        // A fast path for the letters of nearly all names, all of them visible. Looking each one up would take a tenth
        // of the time of reading a file.
        switch value {
        case 0..<0xAD, 0xAE..<0x34F, 0x350..<0x61C, 0x61D..<0x115F, 0x1E00...0x1FFF, 0x3040...0x30FF, 0x4E00...0x9FFF,
            0xAC00...0xD7A3:
            return false
        default: break
        }
        // They select a form of a visible character, such as kanji in Japanese names, and emoji.
        if properties.isVariationSelector { return false }
        if properties.isDefaultIgnorableCodePoint || properties.isBidiControl { return true }
        return switch properties.generalCategory {
        case .lineSeparator, .paragraphSeparator: true
        // The other characters of the category are visible.
        case .format: (0xFFF9...0xFFFB).contains(value)
        default: false
        }
    }

    /// Whether a joiner beside this character has a visible effect.
    fileprivate var takesJoiners: Bool {
        switch value {
        case 0x0600...0x109F, 0x1780...0x18AF, 0x1900...0x1CFF, 0xA800...0xABFF, 0xFB50...0xFDFF, 0xFE70...0xFEFC,
            0x10A00...0x11FFF:
            true
        default: value > 0xFF && (properties.isEmoji || properties.isVariationSelector)
        }
    }

    fileprivate var mayStandInIdentifier: Bool {
        switch self {
        case "-", "_", ".", " ", "@", "/": return true
        default: break
        }
        // Fillers are letters by category and invisible.
        if isInvisible { return false }
        let category = properties.generalCategory
        return category.isMark
            || [.uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter, .decimalNumber]
                .contains(category)
    }
}

extension Unicode.GeneralCategory {
    fileprivate var isMark: Bool { self == .nonspacingMark || self == .spacingMark }
}
