import Directory
import Foundation
import Ground
import Mail
import Storage

extension PersonalAccounts {
    /// What a person enters to get an account.
    package struct Application: Sendable {
        let givenName: String
        let familyName: String
        let email: String
        let password: String
        /// A path on this server, to which the person goes on afterwards.
        let target: String

        package init(givenName: String, familyName: String, email: String, password: String, target: String) {
            self.givenName = givenName
            self.familyName = familyName
            self.email = email
            self.password = password
            self.target = target
        }
    }

    package enum ApplicationProblem: Hashable, Sendable {
        case givenName
        case familyName
        /// The address is missing, or not one that an account can have.
        case email
        /// An organization has verified the domain of the address.
        case emailOfOrganization
        case password(PasswordProblem)
    }

    /// Sends a code to the address. The account is made when the code is entered.
    package func signUp(_ application: Application, _ visit: Visit) async throws -> Asking<ApplicationProblem> {
        var problems = check(application)
        let address = mailAddress(application.email)
        if let address, try await database.read({ try belongsToOrganization(address, in: $0) }) {
            problems.insert(.emailOfOrganization)
        }
        guard problems.isEmpty, let address else { return .refused(problems) }
        let applicant = EmailChallenge.Applicant(
            givenName: application.givenName, familyName: application.familyName,
            passwordHash: try await hasher.hash(application.password, for: visit.requester))
        let now = surroundings.now()
        return try await ask(.signUp, at: address, then: application.target, visit) { transaction in
            try !Person.isTaken(userName: address.folded, at: now, in: transaction)
                ? Recipient(applicant: applicant) { .signUpCode($0) } : Recipient { _ in .accountExists }
        }
    }

    private func check(_ application: Application) -> Set<ApplicationProblem> {
        var problems: Set<ApplicationProblem> = []
        func isFine(_ text: String) -> Bool { (try? FieldRule.name.check(text, field: "")) != nil }
        if !isFine(application.givenName) { problems.insert(.givenName) }
        if !isFine(application.familyName) { problems.insert(.familyName) }
        if mailAddress(application.email) == nil { problems.insert(.email) }
        let owner = PasswordOwner(
            givenName: application.givenName, familyName: application.familyName, userName: application.email)
        if let problem = PasswordPolicy.standard.problem(with: application.password, of: owner) {
            problems.insert(.password(problem))
        }
        return problems
    }

    /// Makes the account of a challenge whose code was confirmed.
    func makeAccount(
        _ challenge: EmailChallenge, _ applicant: EmailChallenge.Applicant, _ visit: Visit, at now: Date,
        in transaction: WriteTransaction
    ) throws -> BrowserEntry {
        let person = try Person.insert(
            in: nil, givenName: applicant.givenName, familyName: applicant.familyName, email: challenge.email,
            emailVerifiedAt: now, userName: challenge.email, at: now, in: transaction)
        try Credential.put(applicant.passwordHash, temporaryUntil: nil, for: person.id, at: now, in: transaction)
        try person.activate(in: transaction)
        try note(
            .personCreated, on: person.id, detail: "by sign-up, with a verified address", from: visit.origin, at: now,
            in: transaction)
        return try enter(person.id, visit, at: now, in: transaction)
    }
}
