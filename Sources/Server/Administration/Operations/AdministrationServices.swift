import Accounts
import Authorization
import Directory
import Ground

/// What operations need besides the database.
package struct AdministrationServices: Sendable {
    package let surroundings: Surroundings
    let hasher: PasswordHasher
    /// Sends people a mail when their password was replaced; nil if the server sends no mail.
    let passwordNotice: PasswordNotice?
    /// Encrypts answers and inputs that are stored until they are needed. Nil on the command line of the server, which
    /// stores none.
    let masterKey: MasterKey?
    /// Shows what an app would get; nil where nothing is asked that needs it.
    let rosterViewing: (any RosterViewing)?

    package init(
        surroundings: Surroundings, hasher: PasswordHasher, passwordNotice: PasswordNotice?,
        masterKey: MasterKey? = nil, rosterViewing: (any RosterViewing)? = nil
    ) {
        self.surroundings = surroundings
        self.hasher = hasher
        self.passwordNotice = passwordNotice
        self.masterKey = masterKey
        self.rosterViewing = rosterViewing
    }
}
