/// Mistakes of a person who edits the directory. The command line and the pages turn them into sentences.
package enum DirectoryError: Error, Equatable {
    /// The value of `field` is not valid; `reason` completes the sentence "<field> …".
    case invalidField(field: String, reason: String)
    case domainTaken(String)
    case userNameTaken(String)
    /// Somebody else in the organization has it.
    case personIDTaken(String)
    case unknownPerson(String)
    case unknownLocation(String)
    case unknownOrganization(String)
    /// The organization has no other active Administrator.
    case lastAdministrator(String)
    /// The organization has no other Administrator whose role has no end.
    case endingAdministrator(String)
    /// A role that only exists in schools, or the other way round.
    case roleNotOffered(Role, Organization.Kind)
    /// Something was built on the ids of a map; `reason` completes the sentence “Id map … cannot be taken back: …”.
    case idMapStands(Int64, reason: String)
    /// A user name, or a format of user names, that is not in the domain of its sandbox.
    case outsideOfSandbox(domain: String)
    /// The organization has ended, since that day.
    case organizationClosed(String, since: CalendarDay)
}

extension DirectoryError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .invalidField(let field, let reason): "The \(field) \(reason)."
        case .domainTaken(let name): "Another organization has verified the domain \(name)."
        case .userNameTaken(let name): "The user name \(name) is taken. Choose another."
        case .personIDTaken(let id): "Somebody else has the person id “\(id)”. Give another."
        case .unknownPerson(let name): "There is no person “\(name)”."
        case .unknownLocation(let name): "There is no location “\(name)”."
        case .unknownOrganization(let name): "There is no organization “\(name)”."
        case .lastAdministrator(let name):
            "\(name) is the last active Administrator. Make somebody else an Administrator first."
        case .endingAdministrator(let name):
            """
            When \(name) ends being an Administrator, nobody would be left who is one. Make somebody else an \
            Administrator without a last day first.
            """
        case .roleNotOffered(let role, let kind): "A \(kind.rawValue) organization has no role \(role.title)."
        case .idMapStands(let id, let reason): "Id map \(id) cannot be taken back: \(reason)."
        case .outsideOfSandbox(let domain): "User names of this sandbox end with @\(domain)."
        case .organizationClosed(let name, let day):
            "\(name) is closed since \(day.text): nothing of it is changed any more."
        }
    }
}
