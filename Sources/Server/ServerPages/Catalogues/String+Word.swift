import Ground

extension String {
    /// Longer names are cut on pages. In characters as people count them (grapheme clusters).
    private static let shownCharactersMax = 80

    /// This name as pages show it: cut to a maximum length, and without direction overrides, which can make a name read
    /// as another.
    package var shown: String {
        let plain = withoutDirectionControls
        return plain.count > Self.shownCharactersMax ? plain.prefix(Self.shownCharactersMax - 1) + "…" : plain
    }

    /// This name as part of a sentence: `shown`, and isolated if it is written from right to left, so that it does not
    /// reorder the text around it (Unicode isolates, UAX #9 §2.7).
    var asWord: String {
        let word = shown
        return word.unicodeScalars.contains(where: \.isRightToLeft) ? "\u{2068}\(word)\u{2069}" : word
    }

    /// Where an address may break: each part but the last ends with `@` or a dot.
    var addressParts: [String] {
        var parts: [String] = [""]
        for character in self {
            parts[parts.count - 1].append(character)
            if character == "@" || character == "." { parts.append("") }
        }
        return parts.last == "" && parts.count > 1 ? parts.dropLast() : parts
    }
}

extension Unicode.Scalar {
    /// Whether the scalar lies in a block of right-to-left scripts (Unicode's allocation for bidi classes R and AL).
    fileprivate var isRightToLeft: Bool {
        switch value {
        case 0x0590...0x08FF, 0xFB1D...0xFDFF, 0xFE70...0xFEFF, 0x10800...0x10FFF, 0x1E800...0x1EFFF: true
        default: false
        }
    }
}

extension Int {
    /// Digits in groups of three with commas, as all three languages write them.
    var grouped: String {
        let digits = String(magnitude)
        var result = ""
        for (index, digit) in digits.enumerated() {
            if index > 0, (digits.count - index).isMultiple(of: 3) {
                result.append(",")
            }
            result.append(digit)
        }
        return self < 0 ? "-" + result : result
    }
}
