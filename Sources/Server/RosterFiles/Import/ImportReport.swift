/// What an import did, or would do.
package struct ImportReport: Codable, Equatable, Sendable {
    package enum Outcome: String, Codable, CaseIterable, Sendable {
        /// The files have errors. Nothing was changed.
        case defective
        /// Only a plan was asked for. Nothing was changed.
        case planned
        /// The changes are large enough to need approval: see ``ImportReport/held``. Nothing was changed.
        case held
        case applied
        /// The organization already matches the files.
        case nothingToDo = "nothing_to_do"
    }

    package let outcome: Outcome
    /// SHA-256 over the six files, in hexadecimal; nil if there is nothing to read.
    package let digest: String?
    /// The id by which the plan is approved. It is valid for these files and the organization's present records only.
    package let planID: String?
    /// The id of the import, if it was applied.
    package let importID: Int?
    package let counts: ImportCounts
    /// Person ids that may have passed to other people.
    package let identities: IdentityChanges
    /// The people of the plan, if they were asked for.
    package var listing: PlanListing?
    /// Why the plan needs approval; empty if it does not.
    package let held: [HeldReason]
    /// The first defects of each kind, in the order of the files.
    package let defects: [Defect]
    /// All warnings, grouped by kind and column.
    package let warnings: [DefectGroup]
    package let errorCount: Int
    package let warningCount: Int
}

/// The types of record that are counted.
package enum RecordType: String, Codable, CaseIterable, Sendable {
    case locations
    case students
    case staff
    case courses
    case classes
    case memberships
}

/// Records of one type.
package struct RecordCounts: Codable, Equatable, Sendable {
    /// Number of rows in the file.
    package var inFile = 0
    /// Number of active records maintained by imports, before this one.
    package var existing = 0
    package var added = 0
    package var changed = 0
    /// Locations, courses and classes: archived. Memberships: removed, or archived with their classes.
    /// People of a single school's files: also those who are at another school and only lose their roles at this one.
    package var deactivated = 0
    package var reactivated = 0
    package var unchanged = 0

    package init() {}

    package var isUnchanged: Bool { added + changed + deactivated + reactivated == 0 }
}

package struct ImportCounts: Codable, Equatable, Sendable {
    package var locations = RecordCounts()
    package var students = RecordCounts()
    package var staff = RecordCounts()
    package var courses = RecordCounts()
    package var classes = RecordCounts()
    package var memberships = RecordCounts()

    package init() {}

    package subscript(type: RecordType) -> RecordCounts {
        switch type {
        case .locations: locations
        case .students: students
        case .staff: staff
        case .courses: courses
        case .classes: classes
        case .memberships: memberships
        }
    }
}

/// Why a plan is not applied without approval.
package struct HeldReason: Codable, Equatable, Sendable {
    package enum Rule: String, Codable, CaseIterable, Sendable {
        /// More records of the type would go away than the organization allows.
        case removed
        /// More records of the type would change than the organization allows.
        case changed
        /// The file has no rows, and the organization has records of the type.
        case empty
        /// More ids would pass to people who seem to be others than the organization allows. Only
        /// ``RosterImporter/Mode/apply(approval:identities:holds:)`` with `identities` overrides it.
        case replaced
        /// Many people would get dissimilar names, perhaps because a column has shifted. Overridden in the same way as
        /// ``replaced``.
        case renamed
        /// The files name people who were erased, and who would come back as new ones. Overridden in the same way as
        /// ``replaced``.
        case erased
        /// All classes of an open term would be archived.
        case endedTerm = "ended_term"
        /// Whoever sent the files wants to look at the plan first.
        case requested
        /// The approval is for another plan: the files or the organization have changed since it was shown.
        case staleApproval = "stale_approval"
    }

    package let rule: Rule
    package let type: RecordType?
    /// How many records are affected.
    package let count: Int
    /// How many records of the type there are; for reasons about identities, how many people.
    package let existing: Int
    /// The percentage of the existing records up to which no approval is needed; nil for rules that have none.
    package let percentMax: Int?
    /// How many would have been allowed, for rules that are not a percentage.
    package var countMax: Int? = nil
    /// The name of the term, for ``Rule/endedTerm``.
    package var term: String? = nil
    /// The names of the classes that would end with the term, sorted: the first ``classesMax`` of them.
    package var classes: [String]? = nil
    /// The names of the schools, if the files are of single ones: the numbers are of their records alone.
    package var school: String? = nil
}

extension HeldReason {
    /// How many classes a reason names.
    package static let classesMax = 30

    init(_ term: EndingTerm) {
        self.init(
            rule: .endedTerm, type: .classes, count: term.count, existing: term.count, percentMax: nil,
            term: term.name, classes: term.classes)
    }

    /// The names of the classes in one line, with dots if there are more.
    package var classList: String {
        let names = classes ?? []
        return names.joined(separator: ", ") + (names.count < count ? "…" : "")
    }
}

extension HeldReason.Rule {
    /// Whether the reason concerns identities, which need an approval of their own.
    package var concernsIdentities: Bool { [.replaced, .renamed, .erased].contains(self) }
}

extension HeldReason: CustomStringConvertible {
    package var description: String {
        let type = type?.rawValue ?? "records"
        let all = "\(existing) \(type)\(school.map { " of \($0)" } ?? "")"
        return switch rule {
        case .removed: "\(count) of \(all) would go away; up to \(percentMax ?? 0) % go without approval."
        case .changed: "\(count) of \(all) would change; up to \(percentMax ?? 0) % go without approval."
        case .empty: "The files name no \(type), and \(school ?? "the organization") has \(existing)."
        case .replaced:
            """
            \(count) person ids would pass to what looks like other people, with account, password and what apps keep; \
            up to \(countMax ?? 0) do without approval.
            """
        case .renamed:
            """
            \(count) of \(existing) people would get names unlike theirs, as when a column has shifted; up to \
            \(countMax ?? 0) do without approval.
            """
        case .erased:
            """
            \(count) person ids in the files are of people who were erased. They would come back as new people. Take \
            them out of the files, unless they are back.
            """
        case .endedTerm:
            """
            The term \(self.term ?? "") would end\(school.map { " at \($0)" } ?? ""): apps would see none of its \
            \(count) classes\(school == nil ? "" : " there") any more (\(classList)).
            """
        case .requested: "Whoever sent the files wants to look at the plan first."
        case .staleApproval:
            "The approval is for another plan: the files or the organization have changed since, or the id is mistyped."
        }
    }
}
