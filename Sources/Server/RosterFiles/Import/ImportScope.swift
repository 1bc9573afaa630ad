import Directory
import Storage

/// Which of an organization's records an import is about: all of them, or those of some schools with an information
/// system of their own.
///
/// A school's records are the courses and classes at it, and the roles at it that the files give. A person belongs to
/// each school at which they have a role.
struct ImportScope {
    /// In the order of their ids; empty for the whole organization.
    let schools: [Location]
    /// What the organization is. A business is always imported as a whole.
    let kind: Organization.Kind

    static let whole = ImportScope(schools: [], kind: .school)

    private init(schools: [Location], kind: Organization.Kind) {
        self.schools = schools
        self.kind = kind
    }

    /// - Throws: ``RosterImportError`` if one of the locations is not there, is archived, or has no id in files, or if
    ///   the organization has no schools
    init(_ ids: [LocationID], of organization: Organization, in transaction: some Transaction) throws {
        kind = organization.kind
        guard ids.isEmpty || kind == .school else { throw RosterImportError.noSchools(organization.name) }
        schools = try Set(ids).sorted().map { id in
            guard let found = try Location.find(id, in: organization.id, transaction) else {
                throw RosterImportError.noSuchSchool(id)
            }
            guard found.sourceID != nil else { throw RosterImportError.schoolWithoutID(found.name) }
            return found
        }
    }

    /// Whether what is held waits no more when an import of this scope ends.
    func covers(_ held: HeldImport) -> Bool {
        isWhole || (!held.schools.isEmpty && held.schools.isSubset(of: ids))
    }

    var isWhole: Bool { schools.isEmpty }

    var ids: [LocationID] { schools.map(\.id) }

    /// For people who read a report; nil for the whole organization.
    var name: String? {
        isWhole ? nil : Defect.printable(schools.map(\.name).joined(separator: ", "))
    }

    /// The ids in the files, for messages.
    var sourceIDs: String { schools.compactMap(\.sourceID).map(Defect.printable).joined(separator: ", ") }

    /// SQL that is true where the column, which has the id of a location, names one of the schools.
    func contains(_ column: String) -> String {
        isWhole ? "TRUE" : "\(column) IN (\(ids.map { "\($0.rawValue)" }.joined(separator: ", ")))"
    }

    /// SQL that is true if the person `p` has a role at another school, from files or by hand.
    var isAlsoElsewhere: String {
        guard !isWhole else { return "FALSE" }
        return """
            EXISTS (
                SELECT 1 FROM role_assignment AS other
                JOIN location AS place ON place.id = other.location_id AND place.archived_at IS NULL
                WHERE other.person_id = p.id AND NOT \(contains("other.location_id"))
            )
            """
    }

    /// SQL that is true if files have given the person `p` a role that lies in the scope.
    var isNamedHere: String {
        guard !isWhole else { return "TRUE" }
        return """
            EXISTS (
                SELECT 1 FROM role_assignment AS held
                WHERE held.person_id = p.id AND \(contains("held.location_id"))
                  AND (held.source = 'csv' OR held.position IS NOT NULL)
            )
            """
    }
}
