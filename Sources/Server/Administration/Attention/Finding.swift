import Directory
import Foundation

/// Something that is wrong in an organization now, and stays so until somebody does something.
package struct Finding: Codable, Equatable, Sendable {
    package enum Kind: String, Codable, CaseIterable, Sendable {
        /// ``count`` accounts are locked after wrong passwords; more than ``lockedMax`` if it is one more.
        case accountsAreLocked = "accounts-are-locked"
        /// ``count`` people need a second factor and have none. From the day ``on`` they cannot sign in without.
        case factorsAreMissing = "factors-are-missing"
        /// The last time that a folder was to be imported, its files were not there, could not be read or had errors.
        case pickUpFailed = "pick-up-failed"
        /// ``count`` messages to an app that the organization has connected were given up in the last month.
        case appIsUnreached = "app-is-unreached"
        /// ``count`` messages to such an app have waited for an hour or longer, because it has not taken them yet.
        case appIsFailing = "app-is-failing"
        /// An app is connected, but may not read.
        case appIsRefused = "app-is-refused"
        /// An app is connected, and gets no tokens, because every key of its team is revoked. Keys have no last day: they
        /// count until they are revoked.
        case appHasNoKey = "app-has-no-key"
        /// An app reads by the consent of somebody who is deactivated.
        case consentIsOrphaned = "consent-is-orphaned"
        /// Mail to a person was given up, the last one of the day ``on``, and none has arrived since.
        case mailIsUndelivered = "mail-is-undelivered"
        /// Something is wrong with the server itself, see ``trouble``. Whoever runs it mends it.
        case serverNeedsOperator = "server-needs-operator"
    }

    package let kind: Kind
    package var count: Int?
    package var on: CalendarDay?
    /// The number of the person.
    package var person: Int64?
    package var fullName: String?
    /// The number of the app, without `app:`.
    package var app: Int64?
    package var appName: String?
    /// The number of the pick-up.
    package var pickUp: Int64?
    /// The school whose files they are.
    package var location: String?
    package var trouble: ServerTrouble?

    init(_ kind: Kind) { self.kind = kind }

    /// Up to this number locked accounts are counted.
    package static let lockedMax = 1_000
}

extension Finding.Kind {
    /// The privilege that is needed to mend what is wrong. Only those who have it are told of the finding; of what is wrong with
    /// the server, which only its operator mends, Administrators of the whole organization.
    package var privilege: Privilege {
        switch self {
        case .accountsAreLocked: .issuePasswords
        case .factorsAreMissing, .serverNeedsOperator: .manageOrganization
        case .pickUpFailed: .importRoster
        case .appIsUnreached, .appIsFailing, .appIsRefused, .appHasNoKey, .consentIsOrphaned: .shareData
        case .mailIsUndelivered: .managePeople
        }
    }
}
