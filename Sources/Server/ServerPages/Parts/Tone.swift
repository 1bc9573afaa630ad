/// The colours of badges and straps; the style sheet knows them as `tone-0`, `tone-1` … in this order.
package enum Tone: String, CaseIterable, Sendable {
    case rust, ochre, olive, green, slate, blue, violet, plum

    /// The tone derived from an id.
    init(of id: String) {
        self = Self.allCases[Int(Hash.fnv1a(id.utf8) % UInt64(Self.allCases.count))]
    }

    /// The number in the style sheet's class.
    var number: Int { Self.allCases.firstIndex(of: self)! }  // every case is among all cases
}
