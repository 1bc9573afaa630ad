import Administration
import CommandOutput
import Directory

extension SharingRecord {
    /// The record, for a terminal.
    var text: String {
        let places = Self.names(locations).map { $0 + (organizationItself == true ? ["the organization itself"] : []) }
        return Table.fields([
            ("App", app),
            ("Locations", Self.list(places)),
            ("Roles", Self.list(roles?.map(\.rawValue))),
            ("Grades", Self.list(grades)),
            ("Classes", Self.list(Self.names(classes))),
            ("Fields", withheld.isEmpty ? "all" : "without \(Self.list(withheld.map(\.rawValue)))"),
            (
                "Left out",
                Self.list(
                    leftOut.map { person in
                        person.name.map { "\($0) (\(person.userName ?? ""))" } ?? "PE-\(person.number)"
                    })
            ),
            ("It sees", "\(people) people, \(classCount) classes"),
        ])
    }

    private static func list(_ values: [String]?) -> String {
        values.map { $0.isEmpty ? "none" : $0.joined(separator: ", ") } ?? "all"
    }

    private static func names(_ values: [Named]?) -> [String]? {
        values?.map { value in value.name.map { "\($0) (\(value.id))" } ?? value.id }
    }
}
