import Administration
import Fixtures

extension Example {
    package static let passwords: [Example] = [
        .change({ _ in IssuePasswords(class: ClassReference("Drawing")) }) { scene, person in
            _ = try await scene.school.insertClass("Drawing", students: [person])
        }
    ]
}
