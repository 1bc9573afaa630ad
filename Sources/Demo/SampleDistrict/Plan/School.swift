/// A school with its place in the district's numbering of staff.
struct School: Sendable {
    let id: String
    /// From 1; part of the identifiers of the school, its courses and its classes.
    let number: Int
    let name: String
    let kind: SchoolKind
    let subjects: [Subject]
    /// Staff by district-wide index: teachers first, then those who teach nothing.
    let staff: Range<Int>
    let teacherCount: Int
    /// How many teachers of the next school come over for the last subject; 0 in a district of one school.
    /// They are the first teachers of their own school.
    let visitorCount: Int

    /// The number of groups of the school's own teachers: one for each subject that visitors do not teach.
    var departmentCount: Int {
        guard !kind.hasClassTeachers else { return 1 }
        return min(subjects.count - (visitorCount > 0 ? 1 : 0), teacherCount)
    }

    /// The staff index of the teacher who gives a subject to a section.
    /// - Parameters:
    ///   - subject: The running number of the subject within its grade; lists longer than ``subjects`` go round.
    ///   - slot: The running number of the section within the school.
    func teacher(of subject: Int, slot: Int) -> Int {
        let department = subject % subjects.count % departmentCount
        let colleagues = (teacherCount - department + departmentCount - 1) / departmentCount
        return staff.lowerBound + department + departmentCount * (slot % colleagues)
    }
}
