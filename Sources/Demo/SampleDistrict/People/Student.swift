/// A pupil, as a row of `students.csv`.
struct Student {
    let id: Identifier
    let person: Person
    let grade: Grade
    let hasEmailAddress: Bool
    let school: School
    /// A few in a school's last year also take lessons at the next.
    let secondSchool: School?
}

extension SampleDistrict {
    /// - Parameter index: The pupil's index in the district; `cohort` is the one that holds it.
    func student(_ index: Int, of cohort: Cohort) -> Student {
        var person = person(index)
        let hasEmailAddress = cohort.grade.givesEmailAddress && (person.hasPlainAddress || !person.random.once(in: 50))
        let school = schools[cohort.school]
        let isAhead =
            cohort.grade.number == school.kind.grades.upperBound && !person.hasPlainAddress
            && person.random.once(in: 40)
        return Student(
            id: .student(index, mark: mark),
            person: person,
            grade: cohort.grade,
            hasEmailAddress: hasEmailAddress,
            school: school,
            secondSchool: isAhead && school.number < schools.count ? schools[school.number] : nil
        )
    }
}
