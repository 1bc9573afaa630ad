/// Gives schools, grades and people their numbers, in the order of the plans.
struct Layout {
    private(set) var schools: [School] = []
    private(set) var cohorts: [Cohort] = []
    private(set) var studentCount = 0
    private(set) var staffCount = 0
    private(set) var courseCount = 0
    private(set) var classCount = 0
    private(set) var membershipCount = 0

    private let mark: String

    /// - Parameter mark: see ``SampleDistrict/mark``.
    init(_ plans: [SchoolPlan], mark: String) {
        self.mark = mark
        // Visiting teachers need a second school, and enough staff at every school to send four.
        let staffMin = plans.map(\.staff).min() ?? 0
        let visitorCount = plans.count > 1 && staffMin >= 8 ? 4 : 0
        for plan in plans {
            append(plan, visitorCount: visitorCount)
        }
    }

    /// The number of the person at a place; see ``Person/ordinal``.
    func ordinal(of place: CastMember.Place) -> Int {
        switch place {
        case .student(let cohort, let offset):
            cohorts[cohort].students.lowerBound + offset
        case .teacher(let school, let offset):
            studentCount + schools[school].staff.lowerBound + offset
        case .office(let school, let offset):
            studentCount + schools[school].staff.lowerBound + schools[school].teacherCount + offset
        }
    }

    private mutating func append(_ plan: SchoolPlan, visitorCount: Int) {
        precondition(plan.staff >= 1, "a school needs staff")
        schools.append(
            School(
                id: "\(mark)LOC-\(schools.count + 1)",
                number: schools.count + 1,
                name: plan.name,
                kind: plan.kind,
                subjects: plan.kind.subjects,
                staff: staffCount..<staffCount + plan.staff,
                teacherCount: plan.staff - plan.staff / 8,
                visitorCount: visitorCount
            )
        )
        staffCount += plan.staff
        var firstSlot = 0
        for cohort in plan.cohorts {
            append(cohort, firstSlot: firstSlot)
            firstSlot += cohort.sections
        }
    }

    private mutating func append(_ plan: CohortPlan, firstSlot: Int) {
        precondition(
            plan.seats <= plan.students * plan.classes && plan.sections >= 1,
            "a class cannot have more members than its grade has pupils"
        )
        let cohort = Cohort(
            school: schools.count - 1,
            grade: plan.grade,
            students: studentCount..<studentCount + plan.students,
            sections: plan.sections,
            classCount: plan.classes,
            seatCount: plan.seats,
            firstClass: classCount,
            firstSeat: membershipCount,
            firstSlot: firstSlot
        )
        cohorts.append(cohort)
        studentCount += plan.students
        courseCount += cohort.courseCount
        classCount += plan.classes
        membershipCount += plan.seats
    }
}
