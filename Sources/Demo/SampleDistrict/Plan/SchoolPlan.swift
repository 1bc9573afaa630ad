/// The size of a school, before its people and classes get their numbers in the district.
struct SchoolPlan {
    let name: String
    let kind: SchoolKind
    let staff: Int
    let cohorts: [CohortPlan]
}

/// The size of a grade at a school.
struct CohortPlan {
    let grade: Grade
    let students: Int
    /// Parallel groups; each is taught every subject.
    let sections: Int
    let classes: Int
    /// Memberships: places in all classes together.
    let seats: Int
}

extension CohortPlan {
    /// A grade in which every pupil takes every one of `subjects` subjects.
    init(grade: Grade, students: Int, sections: Int, subjects: Int) {
        self.init(
            grade: grade,
            students: students,
            sections: sections,
            classes: sections * subjects,
            seats: students * subjects
        )
    }
}
