/// A teacher or another employee, as a row of `staff.csv`.
struct StaffMember {
    let id: Identifier
    let person: Person
    let school: School
    let secondSchool: School?
}

extension SampleDistrict {
    /// - Parameter index: The index in the district; `school` is the one that employs the person.
    func staffMember(_ index: Int, of school: School) -> StaffMember {
        StaffMember(
            id: .staffMember(index, mark: mark),
            person: person(studentCount + index),
            school: school,
            secondSchool: servesTwoSchools(index, of: school) ? schoolVisited(from: school) : nil
        )
    }

    /// Besides the visiting teachers, one teacher is listed at both schools but teaches at one, and so is one person
    /// who does not teach.
    private func servesTwoSchools(_ index: Int, of school: School) -> Bool {
        guard school.visitorCount > 0 else { return false }
        let position = index - school.staff.lowerBound
        return position <= school.visitorCount || index == school.staff.upperBound - 1
    }

    private func schoolVisited(from school: School) -> School {
        schools[(school.number - 2 + schools.count) % schools.count]
    }

    private func schoolVisiting(_ school: School) -> School {
        schools[school.number % schools.count]
    }

    /// The staff who teach a class: one, often two, sometimes three, no one twice.
    /// - Parameter index: The index of the class within its cohort.
    func instructors(ofClass index: Int, in cohort: Cohort) -> [Identifier] {
        let school = schools[cohort.school]
        let subject = cohort.subject(ofClass: index)
        let slot = cohort.firstSlot + cohort.section(ofClass: index)
        let isVisited = school.visitorCount > 0 && (subject + 1) % school.subjects.count == 0
        let first =
            isVisited
            ? schoolVisiting(school).staff.lowerBound + slot % school.visitorCount
            : school.teacher(of: subject, slot: slot)

        var random = SplitMix64(seed: seed, stream: .instructors, index: cohort.firstClass + index)
        let assistants = random.once(in: 20) ? 2 : random.once(in: 6) ? 1 : 0
        let home = isVisited ? slot % school.teacherCount : first - school.staff.lowerBound
        let others = (1...2).map { school.staff.lowerBound + (home + $0) % school.teacherCount }
        return ([first] + others.prefix(school.teacherCount > 2 ? assistants : 0)).map { .staffMember($0, mark: mark) }
    }
}
