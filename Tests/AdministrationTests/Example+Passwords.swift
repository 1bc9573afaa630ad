import Administration
import Fixtures

extension Example {
    static let passwords: [Example] = [
        Example(
            name: IssuePasswords.name,
            prepare: { scene, person in
                _ = try await scene.school.insertClass("Drawing", students: [person])
            },
            perform: { administrator, _, _ in try await administrator.perform(drawing).effects },
            preview: { administrator, _, _ in try await administrator.preview(drawing) })
    ]

    private static let drawing = IssuePasswords(class: ClassReference("Drawing"))
}
