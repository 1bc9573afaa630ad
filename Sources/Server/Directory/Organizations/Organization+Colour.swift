import Storage

extension Organization {
    /// What pages paint an organization in: the strap of its accounts' pages, and its badge. A word and not a value, so
    /// that white letters can be read on each, and each is told from the page, in light and in dark.
    package enum Colour: String, Sendable, SQLConvertible, Codable, CaseIterable {
        case rust, ochre, olive, green, slate, blue, violet, plum
    }
}
