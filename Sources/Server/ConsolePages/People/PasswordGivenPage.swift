import Administration
import Foundation
import ServerPages

/// A temporary password, shown this once, as a slip that can be printed.
package struct PasswordGivenPage: ConsolePage {
    package let desk: Desk
    package let number: Int64
    package let given: IssuePassword.Answer
    /// The address of the server, as people are to type it.
    package let address: String

    package init(desk: Desk, number: Int64, given: IssuePassword.Answer, address: String) {
        self.desk = desk
        self.number = number
        self.given = given
        self.address = address
    }

    package var section: ConsoleSection { .people }
    package var heading: Sentence { Sentence("consolePassword.givenHeading", ["name": .text(given.name)]) }
    package var lead: Sentence? { Sentence("consolePassword.givenLead") }
    package var parent: ConsoleLink? { ConsoleLink(.named(given.name), to: PersonWords.path(of: number)) }

    package var parts: [Part] {
        [
            .slip(
                Slip(
                    house: desk.organization, name: given.name, userName: given.userName, password: given.password,
                    address: address, validUntil: given.validUntil))
        ]
    }
}
