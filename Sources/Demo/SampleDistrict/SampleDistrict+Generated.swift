extension SampleDistrict {
    /// A district of any size, for measurements. Schools are primary, middle and secondary in turn, and people are
    /// distributed evenly; the totals are exact.
    /// - Parameters:
    ///   - people: Pupils and staff together. One in sixteen is staff.
    ///   - schools: By default one for each thousand people.
    ///   - membersPerClass: Pupils in each class. At most the pupils of a grade at one school: with the default
    ///     number of schools there are at least 150 if there are a thousand people or more.
    package init(
        named name: String,
        domain: String = "district.example",
        seed: UInt64 = 1,
        people: Int,
        schools: Int? = nil,
        classes: Int,
        membersPerClass: Int
    ) {
        let schoolCount = schools ?? max(1, people / 1000)
        let staffCount = max(schoolCount, people / 16)
        let studentCount = people - staffCount
        let kinds = (0..<schoolCount).map { SchoolKind.allCases[$0 % SchoolKind.allCases.count] }
        let cohortCount = kinds.reduce(0) { $0 + $1.grades.count }
        precondition(studentCount >= cohortCount, "every grade of every school needs a pupil")

        var firstCohort = 0
        let plans = kinds.enumerated().map { school, kind in
            let cohorts = kind.grades.enumerated().map { index, grade in
                let share = Share(firstCohort + index, of: cohortCount)
                let students = share.part(of: studentCount)
                let classes = share.part(of: classes)
                return CohortPlan(
                    grade: Grade(number: grade),
                    students: students,
                    sections: max(1, students / max(1, membersPerClass)),
                    classes: classes,
                    seats: classes * membersPerClass
                )
            }
            firstCohort += cohorts.count
            return SchoolPlan(
                name: "\(kind.title) \(school + 1)",
                kind: kind,
                staff: Share(school, of: schoolCount).part(of: staffCount),
                cohorts: cohorts
            )
        }
        self.init(named: name, domain: domain, seed: seed, plans: plans)
    }
}

/// One of several equal shares; the parts of a total add up to it exactly.
private struct Share {
    let index: Int
    let count: Int

    init(_ index: Int, of count: Int) {
        self.index = index
        self.count = count
    }

    func part(of total: Int) -> Int {
        total * (index + 1) / count - total * index / count
    }
}
