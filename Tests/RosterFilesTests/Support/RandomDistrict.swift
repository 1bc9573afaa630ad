import SeededNumbers
@testable import RosterFiles

/// A district of three schools with random people and classes, which can change at random. Everything at a school
/// stands in a row that names the school, so that the files fall into those of the three.
struct RandomDistrict {
    static let schools = ["north", "south", "west"]

    private struct Member {
        let id: String
        var name: String
        var grade: String
        /// In the order of ``RandomDistrict/schools``.
        var schools: [String]
    }

    private struct Class {
        let id: String
        let school: String
        var course: String
        var instructors: [String]
        var students: [String]
    }

    private var random: SeededGenerator
    private var students: [Member] = []
    private var staff: [Member] = []
    private var classes: [Class] = []
    private var newest = 0

    init(seed: UInt64) {
        random = SeededGenerator(seed: seed)
        for _ in 0..<Int.random(in: 5...30, using: &random) { students.append(member("S")) }
        for _ in 0..<Int.random(in: 3...10, using: &random) { staff.append(member("T")) }
        for school in Self.schools { for _ in 0..<Int.random(in: 1...4, using: &random) { add(at: school) } }
    }

    private mutating func number() -> Int {
        newest += 1
        return newest
    }

    private mutating func member(_ kind: String) -> Member {
        let number = number()
        return Member(
            id: "\(kind)-\(number)", name: "Name\(number)", grade: "\(Int.random(in: 1...12, using: &random))",
            schools: places())
    }

    private mutating func places() -> [String] {
        let some = Self.schools.shuffled(using: &random).prefix(Int.random(in: 1...4, using: &random) == 4 ? 2 : 1)
        return Self.schools.filter(some.contains)
    }

    private mutating func add(at school: String) {
        var new = Class(id: "K-\(school)-\(number())", school: school, course: "", instructors: [], students: [])
        fill(&new)
        classes.append(new)
    }

    private mutating func fill(_ one: inout Class) {
        func some(of members: [Member], atMost count: Int) -> [String] {
            let here = members.filter { $0.schools.contains(one.school) }.map(\.id)
            return Array(here.shuffled(using: &random).prefix(Int.random(in: 0...count, using: &random)))
        }
        one.course = "C-\(one.school)-\(Int.random(in: 1...3, using: &random))"
        one.instructors = some(of: staff, atMost: 2)
        one.students = some(of: students, atMost: 8)
    }

    /// Some leave, some come, some move, some have another grade; classes come, go and have others in them.
    /// - Parameter share: one of how many people leaves, and so many move or have another grade.
    mutating func change(oneIn share: Int = 8) {
        func changed(_ members: [Member], _ kind: String) -> [Member] {
            var changed = members.compactMap { one -> Member? in
                var one = one
                switch Int.random(in: 0..<share, using: &random) {
                case 0: return nil
                case 1: one.schools = places()
                case 2: one.grade = "\(Int.random(in: 1...12, using: &random))"
                default: break
                }
                return one
            }
            for _ in 0..<Int.random(in: 0...4, using: &random) { changed.append(member(kind)) }
            return changed
        }
        students = changed(students, "S")
        staff = changed(staff, "T")
        for one in classes {
            var one = one
            fill(&one)
            classes.removeFirst()
            if Int.random(in: 0..<4, using: &random) > 0 { classes.append(one) }
        }
        add(at: Self.schools[Int.random(in: 0..<3, using: &random)])
    }

    var files: RosterTexts {
        func text(_ header: String, _ rows: [String]) -> String { ([header] + rows).map { "\($0)\n" }.joined() }
        func second(_ member: Member) -> String { member.schools.count > 1 ? member.schools[1] : "" }
        let courses = Set(classes.map { "\($0.course),,Course,\($0.school)" }).sorted()
        return [
            .locations: text("location_id,location_name", Self.schools.map { "\($0),School \($0)" }),
            .students: text(
                "person_id,location_id,first_name,last_name,middle_name,person_number,grade_level,email_address,"
                    + "sis_username,password_policy,location_id_2",
                students.map { "\($0.id),\($0.schools[0]),\($0.name),\($0.name),,,\($0.grade),,,,\(second($0))" }),
            .staff: text(
                "person_id,person_number,first_name,middle_name,last_name,email_address,sis_username,location_id,"
                    + "location_id_2",
                staff.map { "\($0.id),\($0.grade),\($0.name),,\($0.name),,,\($0.schools[0]),\(second($0))" }),
            .courses: text("course_id,course_number,course_name,location_id", courses),
            .classes: text(
                "class_id,class_number,course_id,instructor_id,instructor_id_2,location_id",
                classes.map { one in
                    let instructors = (one.instructors + ["", ""]).prefix(2).joined(separator: ",")
                    return "\(one.id),1,\(one.course),\(instructors),\(one.school)"
                }),
            .rosters: text(
                "roster_id,class_id,student_id",
                classes.flatMap { one in one.students.map { "\(one.id)-\($0),\(one.id),\($0)" } }),
        ]
    }
}
