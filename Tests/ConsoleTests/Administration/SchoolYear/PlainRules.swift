/// What an app may see, decided for one person or class after the other, without a query. Records are what the
/// administration API says of them.
struct PlainRules {
    /// `LO:` and a number, or the empty text for the organization itself; nil: everywhere.
    var places: Set<String>?
    var grades: Set<String>?
    /// `Student`, `Instructor`, `Staff`.
    var roles: Set<String>?
    /// The numbers of the classes; nil: all.
    var classes: Set<Int>?
    var withheld: Set<String> = []
    /// The numbers of people.
    var leftOut: Set<Int> = []

    private func lets(_ role: [String: Any], of person: [String: Any]) -> Bool {
        let name =
            switch role["role"] as? String {
            case "student": "Student"
            case "instructor": "Instructor"
            default: "Staff"
            }
        let grade = person["grade"] as? String
        return roles?.contains(name) != false
            && places?.contains(role["locationID"] as? String ?? "") != false
            && (name != "Student" || grades == nil || grade.map { grades?.contains($0) == true } == true)
    }

    /// - Parameter members: the numbers of those who are in one of ``classes``
    func show(_ person: [String: Any], members: Set<Int>) -> Bool {
        guard let number = person["number"] as? Int, person["state"] as? String != "deactivated",
            !leftOut.contains(number), classes == nil || members.contains(number)
        else { return false }
        let limitsRoles = places != nil || grades != nil || roles != nil
        return !limitsRoles || (person["roles"] as? [[String: Any]] ?? []).contains { lets($0, of: person) }
    }

    func showClass(_ summary: [String: Any]) -> Bool {
        guard let number = summary["number"] as? Int, summary["archivedAt"] == nil else { return false }
        return classes?.contains(number) != false && places?.contains(summary["locationID"] as? String ?? "") != false
    }
}
