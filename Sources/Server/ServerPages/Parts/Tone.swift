/// The colours of badges and straps: the one that an organization has chosen, otherwise one that is derived from its
/// id. The style sheet knows them as `tone-0`, `tone-1` … in this order.
package enum Tone: String, CaseIterable, Sendable {
    case rust, ochre, olive, green, slate, blue, violet, plum

    /// The tone of what has chosen none, derived from its id.
    init(of id: String) {
        self = Self.allCases[Int(Hash.fnv1a(id.utf8) % UInt64(Self.allCases.count))]
    }

    /// The colour itself, for what is drawn without the style sheet: red, green and blue, eight bits each.
    package var code: UInt32 {
        switch self {
        case .rust: 0xa33f2c
        case .ochre: 0x855400
        case .olive: 0x52691c
        case .green: 0x1a6c48
        case .slate: 0x4c5d73
        case .blue: 0x3a5aa6
        case .violet: 0x6b4aa0
        case .plum: 0x98386f
        }
    }

    /// The number in the style sheet's class.
    package var number: Int { Self.allCases.firstIndex(of: self)! }  // every case is among all cases
}
