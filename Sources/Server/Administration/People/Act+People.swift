import Directory

extension Act {
    func recordRole(_ change: String, _ role: Role, at location: Location?, on person: Person) throws {
        let place = location.map { "location:\($0.id.rawValue)" } ?? "the organization"
        try record(.personChanged, on: person, called: person.fullName, "role \(role.rawValue) at \(place) \(change)")
    }
}
