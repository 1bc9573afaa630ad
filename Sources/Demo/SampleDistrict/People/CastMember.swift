/// A person of a demo, who gets a fixed name at a fixed place of the district.
struct CastMember: Sendable {
    /// All numbers are from 0.
    enum Place {
        case student(cohort: Int, offset: Int)
        /// The first four teachers of a school also teach at the school before it.
        case teacher(school: Int, offset: Int)
        /// Someone who teaches nothing.
        case office(school: Int, offset: Int)
    }

    let place: Place
    let role: NotablePerson.Role
    let given: PersonName
    let family: PersonName
}
