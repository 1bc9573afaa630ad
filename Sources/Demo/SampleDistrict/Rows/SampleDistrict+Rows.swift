extension SampleDistrict {
    func write(_ school: School, to rows: inout RowWriter) {
        rows.cell(school.id)
        rows.cell(school.name)
        rows.endRow()
    }

    func write(_ student: Student, to rows: inout RowWriter) {
        let person = student.person
        rows.cell(student.id)
        rows.cell(student.school.id)
        rows.cell(person.given.written)
        rows.cell(person.family.written)
        rows.cell(person.middle)
        rows.cell(person.number)
        rows.cell(student.grade.label)
        if student.hasEmailAddress {
            rows.cell { person.appendEmailAddress(at: domain, to: &$0) }
        } else {
            rows.emptyCell()
        }
        rows.cell { person.appendUserName(to: &$0) }
        rows.cell(student.grade.passwordPolicy)
        rows.cell(student.secondSchool?.id ?? "")
        rows.endRow()
    }

    func write(_ member: StaffMember, to rows: inout RowWriter) {
        let person = member.person
        rows.cell(member.id)
        rows.cell(person.number)
        rows.cell(person.given.written)
        rows.cell(person.middle)
        rows.cell(person.family.written)
        rows.cell { person.appendEmailAddress(at: domain, to: &$0) }
        rows.cell { person.appendUserName(to: &$0) }
        rows.cell(member.school.id)
        rows.cell(member.secondSchool?.id ?? "")
        rows.endRow()
    }

    func write(_ course: Course, to rows: inout RowWriter) {
        rows.cell(course.id)
        rows.cell(course.number)
        rows.cell(course.name)
        rows.cell(course.school.id)
        rows.endRow()
    }

    func write(_ schoolClass: SchoolClass, to rows: inout RowWriter) {
        rows.cell(schoolClass.id)
        rows.cell(schoolClass.number)
        rows.cell(schoolClass.course.id)
        for place in 0..<3 {
            rows.cell(place < schoolClass.instructors.count ? schoolClass.instructors[place] : nil)
        }
        rows.cell(schoolClass.course.school.id)
        rows.cell(schoolClass.displayName)
        rows.endRow()
    }

    func writeMemberships(ofClass index: Int, in cohort: Cohort, to rows: inout RowWriter) {
        let classID = Array(classID(index, in: cohort).utf8)
        for seat in cohort.seats(ofClass: index) {
            rows.cell(.rosterRow(cohort.firstSeat + seat, mark: mark))
            rows.cell { $0 += classID }
            rows.cell(.student(cohort.student(inSeat: seat), mark: mark))
            rows.endRow()
        }
    }
}
