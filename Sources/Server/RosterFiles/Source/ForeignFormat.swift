import Ground

/// Recognizes files in another format by marks that the six files never have. Reported defect by defect, such files
/// would lead people to import an empty school in the end.
enum ForeignFormat: Equatable {
    /// The version, if a manifest names it.
    case oneRoster(String?)
    /// Microsoft's School Data Sync.
    case schoolDataSync

    /// Bytes that are read from the beginning of a file: more than any of their headers has.
    static let headBytesMax = 4_096

    /// Names of files that are examined, in lower case.
    private static let fileNames: Set<String> = [
        "manifest.csv", "orgs.csv", "users.csv", "roles.csv", "enrollments.csv", "academicsessions.csv", "classes.csv",
        "courses.csv", "demographics.csv", "school.csv", "section.csv", "student.csv", "teacher.csv",
        "studentenrollment.csv", "teacherroster.csv", "user.csv",
    ]

    static func hasMarks(_ name: String) -> Bool { fileNames.contains(name.lowercased()) }

    /// - Parameter heads: the first bytes of the files for which ``hasMarks(_:)`` is true, by name.
    init?(_ heads: [String: [UInt8]]) {
        var marks: Set<Mark> = []
        var version: String?
        for (name, bytes) in heads {
            let lines = String(decoding: bytes, as: UTF8.self).split(maxSplits: 20, whereSeparator: \.isNewline)
            guard let header = lines.first.map(Self.cells) else { continue }
            if header.contains(where: { $0 == "person_id" || $0 == "location_id" || $0 == "class_id" }) { return nil }
            if name.lowercased() == "manifest.csv", header == ["propertyname", "value"] {
                marks.insert(.manifest)
                version = lines.map(Self.cells).first { $0.first == "oneroster.version" }?.last
            }
            if header.contains(where: { $0.hasSuffix("sourcedid") }) {
                marks.insert(header.contains("status") || header.contains("datelastmodified") ? .dated : .undated)
            }
            if header.contains(where: { $0.hasSuffix("sis id") || $0.hasSuffix("dfe number") || $0 == "section id" }) {
                marks.insert(.microsoft)
            }
        }
        if marks.contains(.manifest) || marks.contains(.dated) {
            self = .oneRoster(version)
        } else if marks.contains(.undated) || marks.contains(.microsoft) {
            self = .schoolDataSync
        } else {
            return nil
        }
    }

    private enum Mark {
        case manifest
        /// `sourcedId` beside the `status` and `dateLastModified` of each OneRoster file.
        case dated
        /// `sourcedId` without them.
        case undated
        /// `SIS ID`, or `DfE Number` of its British form.
        case microsoft
    }

    /// The cells of a header in lower case, without quotes and byte order mark.
    private static func cells(_ line: Substring) -> [String] {
        line.split(omittingEmptySubsequences: false) { $0 == "," || $0 == ";" }.map { cell in
            cell.filter { $0 != "\"" && $0 != "\u{FEFF}" }.lowercased()
        }
    }

    func report(in place: String, to defects: DefectLog) {
        let name =
            switch self {
            case .oneRoster(let version): "OneRoster\(version.map { " \(Defect.printable($0))" } ?? "")"
            case .schoolDataSync: "Microsoft School Data Sync"
            }
        defects.report(
            .foreignFormat, in: place, "These files are in the format of \(name), which Lanyard does not read.",
            remedy: """
                Have your system export the six files of Apple School Manager instead: locations.csv, students.csv, \
                staff.csv, courses.csv, classes.csv and rosters.csv.
                """)
    }
}
