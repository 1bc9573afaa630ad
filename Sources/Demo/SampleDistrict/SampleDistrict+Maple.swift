extension SampleDistrict {
    /// Maple District: three schools, some two thousand people. The demo's school, and the tests'.
    package static let maple = SampleDistrict(
        named: "Maple District",
        domain: "maple.example",
        seed: 2022,
        plans: [
            SchoolPlan(
                name: "Maple Grove Primary School",
                kind: .primary,
                staff: 32,
                cohorts: cohorts(of: .primary, sections: 4, students: [88, 95, 92, 90, 97, 91])
            ),
            SchoolPlan(
                name: "Riverside Middle School",
                kind: .middle,
                staff: 48,
                cohorts: cohorts(of: .middle, sections: 7, students: [171, 178, 174])
            ),
            SchoolPlan(
                name: "Harbour Secondary School",
                kind: .secondary,
                staff: 68,
                cohorts: cohorts(of: .secondary, sections: 8, students: [196, 188, 191, 183])
            ),
        ],
        cast: [
            CastMember(
                place: .office(school: 2, offset: 0), role: .administrator,
                given: PersonName("Priya"), family: PersonName("Raman")
            ),
            CastMember(
                place: .office(school: 1, offset: 0), role: .siteManager,
                given: PersonName("Henrik"), family: PersonName("Lindqvist")
            ),
            // Teaches Spanish at the middle school, and to section A of each grade at the primary school.
            CastMember(
                place: .teacher(school: 1, offset: 0), role: .instructor,
                given: PersonName("Ana"), family: PersonName("Ruiz")
            ),
            CastMember(
                place: .teacher(school: 2, offset: 8), role: .instructor,
                given: PersonName("美咲", latin: "misaki"), family: PersonName("佐藤", latin: "sato")
            ),
            // Grade 1, section A: one of Ana Ruiz's pupils, too young for an email address.
            CastMember(
                place: .student(cohort: 1, offset: 3), role: .student,
                given: PersonName("Fatima"), family: PersonName("Silva")
            ),
            CastMember(
                place: .student(cohort: 7, offset: 12), role: .student,
                given: PersonName("Zoë", latin: "zoe"), family: PersonName("Kowalczyk")
            ),
            CastMember(
                place: .student(cohort: 11, offset: 20), role: .student,
                given: PersonName("민준", latin: "minjun"), family: PersonName("김", latin: "kim")
            ),
        ]
    )

    private static func cohorts(of kind: SchoolKind, sections: Int, students: [Int]) -> [CohortPlan] {
        zip(kind.grades, students).map { grade, students in
            CohortPlan(
                grade: Grade(number: grade), students: students, sections: sections, subjects: kind.subjects.count)
        }
    }
}
