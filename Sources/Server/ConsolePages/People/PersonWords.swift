import Administration
import Directory
import Foundation
import ServerPages

/// How the console speaks of a person.
package enum PersonWords {
    package static func name(of person: PersonRecord) -> String { person.fullName }

    package static func path(of number: Int64) -> String { "/manager/people/PE-\(number)" }

    static func badge(_ name: String, _ number: Int64) -> Badge {
        Badge(name: name, id: String(number), isPerson: true)
    }

    static func state(_ state: Person.State) -> Cell {
        .mark(state.tone, Sentence("consolePerson.state_\(state.rawValue)"))
    }

    static func roles(_ roles: [PersonRecord.HeldRole]) -> Cell {
        roles.isEmpty
            ? .nothing
            : .chips(
                roles.map { held in
                    held.location.map {
                        Sentence(
                            "consolePerson.roleAt", ["role": .sentence(held.role.word), "place": .text($0)])
                    } ?? held.role.word
                })
    }

    static let sentences = Person.State.allCases.map { Sentence("consolePerson.state_\($0.rawValue)") }
}

extension Role {
    /// The role in words.
    package var word: Sentence {
        switch self {
        case .administrator: AccountRole.administrator.sentence
        case .siteManager: AccountRole.siteManager.sentence
        case .peopleManager: AccountRole.peopleManager.sentence
        case .deviceEnrollmentManager: AccountRole.deviceEnrollmentManager.sentence
        case .contentManager: AccountRole.contentManager.sentence
        case .manager: AccountRole.manager.sentence
        case .instructor: AccountRole.instructor.sentence
        case .staff: AccountRole.staff.sentence
        case .student: AccountRole.student.sentence
        }
    }
}

extension Person.State {
    fileprivate var tone: Part.MessageTone {
        switch self {
        case .active: .success
        case .deactivated: .danger
        default: .notice
        }
    }
}
