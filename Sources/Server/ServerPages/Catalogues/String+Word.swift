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

    /// Up to this length, a part of an address fits beside its label on a phone. In characters.
    private static let unbrokenPartMax = 16

    /// An address in the parts between which it may break: after `@`, and in longer parts after each dot too. Nearly all addresses
    /// have two parts.
    var addressParts: [Substring] {
        split(after: "@").flatMap { $0.count > Self.unbrokenPartMax ? $0.split(after: ".") : [$0] }
    }
}

extension StringProtocol where SubSequence == Substring {
    /// The text in parts, each of which but the last ends with the character.
    fileprivate func split(after character: Character) -> [Substring] {
        var parts: [Substring] = []
        var rest = self[...]
        while let end = rest.firstIndex(of: character) {
            parts.append(rest[...end])
            rest = rest[rest.index(after: end)...]
        }
        return rest.isEmpty ? parts : parts + [rest]
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
