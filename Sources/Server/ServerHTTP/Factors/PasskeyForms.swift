import Directory
import Foundation
import Ground
import ServerPages

extension PasskeyForm {
    /// - Parameter passkeys: one of which is to be shown.
    /// - Returns: nil if there is none.
    static func confirm(_ passkeys: [Passkey], form: Form) -> PasskeyForm? {
        passkeys.isEmpty ? nil : PasskeyForm(form: form, purpose: .confirm(passkeys.map(\.credentialText)))
    }

    /// - Parameter known: the passkeys that the person has.
    static func add(for person: Person, known: [Passkey], challenges: PasskeyChallenges, form: Form) -> PasskeyForm {
        PasskeyForm(
            form: form,
            purpose: .add(
                userHandle: Data(challenges.userHandle(of: person.id)).base64URLEncoded, userName: person.userName,
                name: person.fullName, known: known.map(\.credentialText)))
    }
}

extension Passkey {
    fileprivate var credentialText: String { Data(credentialID).base64URLEncoded }
}

extension FactorProblem {
    /// What is said of a passkey that does not count. The reason itself is for the log.
    init(_ refusal: PasskeyRefusal) { self = refusal == .alreadyRegistered ? .passkeyKnown : .passkey }
}
