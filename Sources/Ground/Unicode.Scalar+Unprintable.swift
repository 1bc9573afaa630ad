/// Characters that text from outside must not bring into a log, a terminal, a header or a page.
extension Unicode.Scalar {
    /// A control character or a line or paragraph separator.
    package var isControl: Bool {
        switch properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: true
        default: false
        }
    }

    /// A control character and nothing else: C0, DEL or C1, which is all of Unicode's category Cc.
    package var isControlCode: Bool { value < 0x20 || (0x7f...0x9f).contains(value) }

    /// What the value of a header may not hold, but for the tab. RFC 9110 §5.5.
    package var isASCIIControl: Bool { value < 0x20 || value == 0x7f }

    /// An invisible formatting character, such as a change of direction. Excludes the joiners U+200C and U+200D, which
    /// belong to the spelling of names in several scripts.
    package var isInvisible: Bool {
        properties.generalCategory == .format && self != "\u{200c}" && self != "\u{200d}"
    }

    /// Has no meaning or shape that is the same everywhere: unassigned or for private use.
    package var isUnassigned: Bool {
        switch properties.generalCategory {
        case .privateUse, .surrogate, .unassigned: true
        default: false
        }
    }

    /// Starts or ends an embedding, an override or an isolate of the text's direction. UAX #9 §2.
    package var isDirectionControl: Bool {
        (0x202a...0x202e).contains(value) || (0x2066...0x2069).contains(value)
    }
}
