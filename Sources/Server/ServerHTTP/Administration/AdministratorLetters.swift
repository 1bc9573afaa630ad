import Administration
import Directory
import Foundation
import ServerPages

extension AdministratorLetter {
    /// Writes mails to administrators, with the texts of `ServerPages`.
    /// - Parameter baseURL: of the server; mails name its host.
    package static func writing(from baseURL: String) throws -> Writing {
        writing(with: try Pages(), from: baseURL)
    }

    static func writing(with pages: Pages, from baseURL: String) -> Writing {
        let host = URLComponents(string: baseURL)?.host ?? baseURL
        return { letter, language in
            pages.write(
                Letter(Letter.Occasion(letter), host: host, minutes: 0), in: Language(rawValue: language) ?? .english)
        }
    }
}

extension Letter.Occasion {
    fileprivate init(_ letter: AdministratorLetter) {
        self =
            switch letter {
            case .consentEnds(let consent):
                .consentEnds(
                    Letter.EndingConsent(
                        organization: consent.organization, app: consent.app, team: consent.team,
                        lastDay: consent.lastDay.date,
                        scopes: Set(
                            (consent.readsUsers ? [.users] : []) + (consent.readsClasses ? [.classes] : [])),
                        people: consent.people, classes: consent.classes))
            case .importHeld(let held):
                .importHeld(
                    Letter.HeldImport(
                        organization: held.organization, schools: held.schools, coming: held.coming,
                        changing: held.changing, leaving: held.leaving))
            case .pickedUp(let files):
                .pickedUp(
                    Letter.PickedUp(
                        organization: files.organization, outcome: .init(files.outcome), errors: files.errors,
                        coming: files.coming, changing: files.changing, leaving: files.leaving))
            }
    }
}

extension Letter.PickedUp.Outcome {
    fileprivate init(_ outcome: RosterPickUp.Outcome) {
        self =
            switch outcome {
            // No letter is written of what is held or has not changed.
            case .applied, .held, .nothingToDo: .applied
            case .defective: .defective
            case .missing: .missing
            case .unreadable: .unreadable
            case .unfinished: .unfinished
            }
    }
}
