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
                    let role =
                        held.location.map {
                            Sentence(
                                "consolePerson.roleAt", ["role": .sentence(held.role.word), "place": .text($0)])
                        } ?? held.role.word
                    return days(of: held).map {
                        Sentence("consolePerson.roleWithDays", ["role": .sentence(role), "days": .sentence($0)])
                    } ?? role
                })
    }

    /// From when until when a role counts; nil for a role without days.
    private static func days(of held: PersonRecord.HeldRole) -> Sentence? {
        let (from, until) = (held.from.map { Value.day($0.date) }, held.until.map { Value.day($0.date) })
        return switch (from, until) {
        case (nil, nil): nil
        case (let from?, nil): Sentence("consolePerson.roleFrom", ["from": from])
        case (nil, let until?): Sentence("consolePerson.roleUntil", ["until": until])
        case (let from?, let until?): Sentence("consolePerson.roleBetween", ["from": from, "until": until])
        }
    }

    /// The days of a role, with a mark that says whether it counts now.
    static func period(of held: PersonRecord.HeldRole, at now: Date) -> Cell {
        guard let days = days(of: held) else { return .sentence(Sentence("consolePerson.roleAlways")) }
        let state = held.state(at: now)
        return .mark(
            state == .current ? .success : .notice,
            Sentence("consolePerson.role_\(state.rawValue)", ["days": .sentence(days)]))
    }

    static let sentences =
        Person.State.allCases.map { Sentence("consolePerson.state_\($0.rawValue)") }
        + RolePeriod.State.allCases.map { Sentence("consolePerson.role_\($0.rawValue)") }
}

extension PasswordPolicy {
    /// The policies to choose from.
    /// - Parameter none: what counts if none is chosen.
    static func options(none: Sentence) -> [ConsoleField.Option] {
        [ConsoleField.Option("", none)]
            + allCases.map { .init($0.rawValue, Sentence("consolePerson.policy_\($0.rawValue)")) }
    }
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
