/// An invented school district, written as the six CSV files of an Apple School Manager upload.
///
/// Every row is a function of the seed and the row's place alone, so the files are the same on every machine and a
/// district of any size is produced as a stream: memory holds the plan of its schools and grades, never its people.
///
/// Pupils of a grade form a cohort, and classes draw their members from one cohort only. Every reference resolves,
/// every identifier is unique over the district, and email addresses lie in ``domain``.
package struct SampleDistrict: Sendable {
    package let name: String
    /// The DNS domain of every email address.
    package let domain: String
    let seed: UInt64
    /// What all identifiers begin with, so that those of two districts differ; empty for most.
    let mark: String
    let schools: [School]
    let cohorts: [Cohort]
    /// The people of a demo, in the order to introduce them.
    let cast: [CastMember]
    /// The cast by ordinal.
    let castByOrdinal: [Int: CastMember]

    package let studentCount: Int
    package let staffCount: Int
    package let courseCount: Int
    package let classCount: Int
    /// Rows of `rosters.csv`: one for each pupil in each class.
    package let membershipCount: Int
    package var personCount: Int { studentCount + staffCount }
    package var locationCount: Int { schools.count }

    init(
        named name: String, domain: String, seed: UInt64, mark: String = "", plans: [SchoolPlan],
        cast: [CastMember] = []
    ) {
        let layout = Layout(plans, mark: mark)
        self.name = name
        self.domain = domain
        self.seed = seed
        self.mark = mark
        schools = layout.schools
        cohorts = layout.cohorts
        studentCount = layout.studentCount
        staffCount = layout.staffCount
        courseCount = layout.courseCount
        classCount = layout.classCount
        membershipCount = layout.membershipCount
        self.cast = cast
        castByOrdinal = Dictionary(uniqueKeysWithValues: cast.map { (layout.ordinal(of: $0.place), $0) })
    }
}
