/// What texts of others must not bring into a log, a terminal, a header or a page.
extension Unicode.Scalar {
    /// Ends a line, or tells a terminal something.
    package var isControl: Bool {
        switch properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: true
        default: false
        }
    }

    /// Is not seen, and changes how others are: it turns the direction of the text, parts words, hides. The joiners are left
    /// out, which belong to the spelling of names in several scripts.
    package var isInvisible: Bool {
        properties.generalCategory == .format && self != "\u{200c}" && self != "\u{200d}"
    }

    /// Is no character that everybody sees as the same one.
    package var isUnassigned: Bool {
        switch properties.generalCategory {
        case .privateUse, .surrogate, .unassigned: true
        default: false
        }
    }

    /// Turns the direction of what follows: an embedding, an override or an isolate, or the end of one. UAX #9 §2.
    package var isDirectionControl: Bool {
        (0x202a...0x202e).contains(value) || (0x2066...0x2069).contains(value)
    }
}
