/// A subject taught in a grade, as a row of `courses.csv`.
struct Course {
    /// School, grade and running number, such as `C-2-7-3`.
    let id: String
    let number: String
    let name: String
    let school: School
}

/// A course as one section has it, as a row of `classes.csv`.
struct SchoolClass {
    /// The course's numbers and the section, such as `K-2-7-3-B`.
    let id: String
    /// The section's letter.
    let number: String
    let course: Course
    /// One to three.
    let instructors: [Identifier]
    /// Empty for most.
    let displayName: String
}

extension SampleDistrict {
    /// - Parameter index: The running number of the subject within the grade.
    func course(_ index: Int, in cohort: Cohort) -> Course {
        let school = schools[cohort.school]
        let subject = school.subjects[index % school.subjects.count]
        return Course(
            id: "\(mark)C-\(numbers(ofCourse: index, in: cohort))",
            number: subject.code + cohort.grade.label,
            name: "\(subject.name) \(cohort.grade.label)",
            school: school
        )
    }

    /// - Parameter index: The index of the class within its cohort.
    func schoolClass(_ index: Int, in cohort: Cohort) -> SchoolClass {
        SchoolClass(
            id: classID(index, in: cohort),
            number: Self.letters(cohort.section(ofClass: index)),
            course: course(cohort.subject(ofClass: index), in: cohort),
            instructors: instructors(ofClass: index, in: cohort),
            displayName: displayName(ofClass: cohort.firstClass + index)
        )
    }

    func classID(_ index: Int, in cohort: Cohort) -> String {
        let course = numbers(ofCourse: cohort.subject(ofClass: index), in: cohort)
        return "\(mark)K-\(course)-\(Self.letters(cohort.section(ofClass: index)))"
    }

    private func numbers(ofCourse index: Int, in cohort: Cohort) -> String {
        "\(cohort.school + 1)-\(cohort.grade.label)-\(index + 1)"
    }

    /// `A` … `Z`, `AA`, `AB` and so on.
    private static func letters(_ index: Int) -> String {
        let last = String(UnicodeScalar(UInt8(ascii: "A") + UInt8(index % 26)))
        return index < 26 ? last : letters(index / 26 - 1) + last
    }

    private func displayName(ofClass index: Int) -> String {
        var random = SplitMix64(seed: seed, stream: .displayName, index: index)
        guard random.once(in: 5) else { return "" }
        let names = ["Otters", "Herons", "Blue Group", "Room 12, East Wing", #"The "Early Birds""#, "Lab Group"]
        return names[random.next(below: names.count)]
    }
}
