import Administration
import Directory
import Fixtures

extension Example {
    /// Corrections of what records say of people, and of what people are called, and two that are one.
    package static let people: [Example] = [
        .change { EditPerson(person: $0, lastName: "Núñez", grade: "3") },
        .change { RenamePerson(person: $0, userName: "renamed.pupil@maple.example") },
        .change({ MergePeople(person: $0, other: twin) }) { scene, _ in
            _ = try await scene.school.insertPerson("twin", .student)
        },
        .change({ SeparatePeople(person: $0, other: twin) }) { scene, person in
            _ = try await scene.school.insertPerson("twin", .student)
            _ = try await scene.operator.perform(MergePeople(person: PersonReference(person.id), other: twin))
        },
    ]

    private static let twin = PersonReference("twin@maple.example")
}
