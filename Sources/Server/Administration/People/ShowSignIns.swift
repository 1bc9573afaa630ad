import Authorization
import Directory
import Foundation
import Storage

/// How a person signs in, and to which apps.
package struct SignInRecord: Codable, Equatable, Sendable {
    /// What the person can show besides the password.
    package struct Ways: Codable, Equatable, Sendable {
        package let passkeys: Int
        package let oneTimeCodes: Bool
        /// How many of the codes on paper are left. Alone they are no second factor: they stand in for one.
        package let recoveryCodes: Int

        /// Whether ``ResetFactors`` has nothing to take away.
        package var isEmpty: Bool { passkeys == 0 && !oneTimeCodes }
    }

    /// An app to which the person has signed in, and from which nobody has signed them out for good.
    package struct App: Codable, Equatable, Sendable {
        package enum Address: String, Codable, CaseIterable, Sendable {
            /// The app knows the person's own email address.
            case own
            /// It has one that leads to the person, and to nobody whom it does not know.
            case hidden
        }

        package let number: Int64
        package let name: String
        package let team: String
        package let since: Date
        /// Nil if the app was given no address.
        package let address: Address?
    }

    /// Nil for whoever may not take them away.
    package let ways: Ways?
    /// The latest first.
    package let apps: [App]
}

/// Shows how a person signs in, and to which apps.
package struct ShowSignIns: Inquiry {
    package typealias Answer = SignInRecord

    package static let name = "person.sign-ins"
    package static let summary = """
        Shows to which apps a person signs in, and, to whoever may reset that, what they can show besides the password.
        """
    package static let privilege = Privilege.readPeople
    package static let route = OperationRoute(.get, "people/{person}/sign-ins")
    package static let explanations = [
        "person": "User name, person id, or number, such as `PE-12`."
    ]

    package let person: PersonReference

    package init(person: PersonReference) { self.person = person }

    package func subject(in context: OperationContext, _ transaction: some Transaction) throws -> Person {
        try person.find(in: context, transaction)
    }

    package func answer(
        about person: Person, in context: OperationContext, _ transaction: some Transaction
    ) throws -> SignInRecord {
        // Whose account has no second factor is worth knowing to a thief of passwords.
        let mayReset = try person.isOpen(to: context.authority, for: ResetFactors.privilege, in: transaction)
        return SignInRecord(
            ways: mayReset ? SignInRecord.Ways(try Factors.find(of: person.id, in: transaction)) : nil,
            apps: try UsedApp.list(of: person, at: context.now, in: transaction).map(SignInRecord.App.init))
    }
}

extension SignInRecord.Ways {
    fileprivate init(_ factors: Factors) {
        passkeys = factors.passkeys
        oneTimeCodes = factors.hasOneTimeCodes
        recoveryCodes = factors.recoveryCodes
    }
}

extension SignInRecord.App {
    fileprivate init(_ used: UsedApp) {
        number = used.app.id.rawValue
        name = used.app.name
        team = used.team.name
        since = used.consent.grantedAt
        address =
            switch used.email {
            case .own: .own
            case .hidden: .hidden
            case nil: nil
            }
    }
}
