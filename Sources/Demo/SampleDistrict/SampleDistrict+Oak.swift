extension SampleDistrict {
    /// Oak Academy: one small school, with one class for each of six grades. Whoever tries Lanyard sets it up; its people
    /// and ids are none of Maple District's, so that files which come into the wrong one are noticed.
    package static let oak = SampleDistrict(
        named: "Oak Academy",
        domain: "oak.example",
        seed: 1911,
        mark: "OAK-",
        plans: [
            SchoolPlan(
                name: "Oak Academy",
                kind: .primary,
                staff: 8,
                cohorts: zip(SchoolKind.primary.grades, [18, 19, 20, 18, 20, 19]).map { grade, students in
                    CohortPlan(grade: Grade(number: grade), students: students, sections: 1, subjects: 1)
                }
            )
        ]
    )
}
