/// Someone whom a demo introduces by name.
package struct NotablePerson: Equatable, Sendable {
    /// The person's role in the demo. The files make only instructors, staff and students; the demo assigns the other
    /// roles after the import.
    package enum Role: String, Sendable {
        case administrator
        case siteManager
        case instructor
        case student
    }

    package let role: Role
    package let personID: String
    package let givenName: String
    package let familyName: String
    /// Nil for young pupils.
    package let emailAddress: String?
    package let sisUserName: String
    /// `4`, `6` or `8`: a pupil's as in the file; staff always have `8`.
    package let passwordPolicy: String
    /// The person's schools, home school first.
    package let locationIDs: [String]
}

extension SampleDistrict {
    /// The people to introduce in a demo, in that order; none in a generated district.
    package var notablePeople: [NotablePerson] {
        cast.map { member in
            switch member.place {
            case .student(let cohort, let offset):
                let cohort = cohorts[cohort]
                return notable(student(cohort.students.lowerBound + offset, of: cohort), role: member.role)
            case .teacher(let school, let offset):
                let school = schools[school]
                return notable(staffMember(school.staff.lowerBound + offset, of: school), role: member.role)
            case .office(let school, let offset):
                let school = schools[school]
                let index = school.staff.lowerBound + school.teacherCount + offset
                return notable(staffMember(index, of: school), role: member.role)
            }
        }
    }

    private func notable(_ student: Student, role: NotablePerson.Role) -> NotablePerson {
        notable(
            student.person,
            role: role,
            id: student.id,
            hasEmailAddress: student.hasEmailAddress,
            passwordPolicy: student.grade.passwordPolicy,
            schools: [student.school, student.secondSchool]
        )
    }

    private func notable(_ member: StaffMember, role: NotablePerson.Role) -> NotablePerson {
        notable(
            member.person,
            role: role,
            id: member.id,
            hasEmailAddress: true,
            passwordPolicy: "8",
            schools: [member.school, member.secondSchool]
        )
    }

    private func notable(
        _ person: Person,
        role: NotablePerson.Role,
        id: Identifier,
        hasEmailAddress: Bool,
        passwordPolicy: String,
        schools: [School?]
    ) -> NotablePerson {
        NotablePerson(
            role: role,
            personID: String(buildingUTF8: id.append),
            givenName: person.given.text,
            familyName: person.family.text,
            emailAddress: hasEmailAddress
                ? String { person.appendEmailAddress(at: domain, to: &$0) }
                : nil,
            sisUserName: String(buildingUTF8: person.appendUserName),
            passwordPolicy: passwordPolicy,
            locationIDs: schools.compactMap { $0?.id }
        )
    }
}
