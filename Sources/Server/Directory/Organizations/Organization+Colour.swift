import Storage

extension Organization {
    /// The colour of an organization on pages: the strap on its accounts' pages, and its badge. A fixed set of names,
    /// so that white text is readable on each, and each is distinct from the page in light and dark mode.
    package enum Colour: String, Sendable, SQLConvertible, Codable, CaseIterable {
        case rust, ochre, olive, green, slate, blue, violet, plum
    }
}
