/// A school year, from kindergarten (0) to 12, and what a pupil's age decides.
struct Grade: Equatable, Sendable {
    let number: Int

    /// `K`, `1` … `12`, as written in `grade_level`.
    var label: String {
        number == 0 ? "K" : String(number)
    }

    /// Young pupils have no address of their own; some apps therefore learn a name and nothing else.
    var givesEmailAddress: Bool {
        number >= 5
    }

    /// `4` or `6` digits for those who cannot yet type a password, `8` for the standard policy.
    var passwordPolicy: String {
        switch number {
        case ..<4: "4"
        case ..<8: "6"
        default: "8"
        }
    }
}
