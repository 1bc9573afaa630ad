import Accounts
import Authorization
import Directory
import DomainNames
import Ground
import Mail

/// What operations need besides the database.
package struct AdministrationServices: Sendable {
    package let surroundings: Surroundings
    let hasher: PasswordHasher
    /// Sends people a mail when their password was replaced; nil if the server sends no mail.
    let passwordNotice: PasswordNotice?
    /// Encrypts what is stored until it is needed: answers, inputs, the files of imports.
    let masterKey: MasterKey
    /// Tells those who may approve it that an import is held; nil where none is imported.
    let administratorMail: AdministratorMail?
    /// From which address the server writes; nil if it sends no mail.
    let mailSender: Mailbox?
    /// Shows what an app would get; nil where nothing is asked that needs it.
    let rosterViewing: (any RosterViewing)?
    /// What the server lets the developers of apps do.
    let developers: DeveloperRules

    /// The folder below which information systems put their files; nil if none is read.
    package let pickUpFolder: String?

    /// Makes the profile with which devices sign their people in here; nil where nothing can.
    let signOnProfile: SignOnProfile?

    /// Reads the records by which organizations show that a domain is theirs.
    let textRecords: any TextRecordReading

    /// What is wrong with the server, which administrators are told.
    package let condition: ServerCondition

    /// Whose keys the server has for tickets of Kerberos, such as `HTTP/id.maple.example`; nil if it takes none.
    let kerberosService: String?

    package init(
        surroundings: Surroundings, hasher: PasswordHasher, passwordNotice: PasswordNotice?,
        masterKey: MasterKey, administratorMail: AdministratorMail? = nil, mailSender: Mailbox? = nil,
        rosterViewing: (any RosterViewing)? = nil, developers: DeveloperRules = DeveloperRules(),
        pickUpFolder: String? = nil, signOnProfile: SignOnProfile? = nil,
        textRecords: any TextRecordReading = TextRecords(), kerberosService: String? = nil,
        condition: ServerCondition = ServerCondition()
    ) {
        self.surroundings = surroundings
        self.hasher = hasher
        self.passwordNotice = passwordNotice
        self.masterKey = masterKey
        self.administratorMail = administratorMail
        self.mailSender = mailSender
        self.rosterViewing = rosterViewing
        self.developers = developers
        self.pickUpFolder = pickUpFolder
        self.signOnProfile = signOnProfile
        self.textRecords = textRecords
        self.kerberosService = kerberosService
        self.condition = condition
    }
}
