import Testing

@testable import RosterFiles

@Suite struct ExampleSetTests {
    static let files: [RosterFile: String] = [
        .locations: """
        location_id,location_name
        LOC-10,"Birch Lane Primary"
        LOC-20,"Harbour Secondary"

        """,
        .students: """
        person_id,location_id,first_name,last_name,middle_name,person_number,grade_level,email_address,sis_username,\
        password_policy,location_id_2
        S-1001,LOC-10,Noor,Haddad,,40017,1,,nhaddad,4,
        S-1002,LOC-10,"Ana María",Ruiz,,40018,1,,aruiz,4,
        S-2001,LOC-20,Tomasz,Lis,Jan,40230,8,tomasz.lis@birch.example,tlis,6,
        S-2002,LOC-20,Wen,"van den Berg",,40231,11,wen.vdb@birch.example,wvdberg,8,LOC-10

        """,
        .staff: """
        person_id,person_number,first_name,middle_name,last_name,email_address,sis_username,location_id,location_id_2
        T-0007,90007,Ines,,Okafor,ines.okafor@birch.example,iokafor,LOC-10,LOC-20
        T-0008,90008,Paul,,Meyer,paul.meyer@birch.example,pmeyer,LOC-20,
        T-0009,90009,Rita,,Sand,rita.sand@birch.example,rsand,LOC-10,

        """,
        .courses: """
        course_id,course_number,course_name,location_id
        C-READ1,101,"Reading 1",LOC-10
        C-BIO8,808,"Biology 8",LOC-20

        """,
        .classes: """
        class_id,class_number,course_id,instructor_id,instructor_id_2,instructor_id_3,location_id
        K-READ1-A,A,C-READ1,T-0007,T-0009,,LOC-10
        K-BIO8-1,1,C-BIO8,T-0008,,,LOC-20

        """,
        .rosters: """
        roster_id,class_id,student_id
        R-000001,K-READ1-A,S-1001
        R-000002,K-READ1-A,S-1002
        R-000003,K-BIO8-1,S-2001
        R-000004,K-BIO8-1,S-2002

        """,
    ]

    @Test("the example set is read without a defect", arguments: RosterFile.allCases)
    func readsWithoutDefect(file: RosterFile) throws {
        let expected: [RosterFile: Int] = [
            .locations: 2, .students: 4, .staff: 3, .courses: 2, .classes: 2, .rosters: 4,
        ]
        let reading = try Reading(#require(Self.files[file]), as: file)
        #expect(reading.found == [])
        #expect(reading.summary == .init(rows: expected[file]!, isIncomplete: false))
    }

    @Test("values arrive in their columns")
    func readsValues() throws {
        let students = try Reading(Self.files[.students]!, as: .students)
        #expect(
            students.rows[3] == [
                "5", "S-2002", "LOC-20", "Wen", "van den Berg", "", "40231", "11", "wen.vdb@birch.example", "wvdberg",
                "8",
            ])
    }
}
