import Directory
import Storage

/// A password that was made for somebody, and is not theirs yet.
package struct PreparedPassword: Sendable {
    let recipient: PasswordRecipient
    let password: String
    let hash: String

    /// Makes and hashes passwords, on as many threads as the hasher has.
    static func make(
        for recipients: [PasswordRecipient], in context: OperationContext
    ) async throws -> [PersonID: PreparedPassword] {
        let services = context.services
        return try await withThrowingTaskGroup(of: PreparedPassword.self) { group in
            var made: [PersonID: PreparedPassword] = [:]
            var begun = 0
            // The hasher gets only one password more than it has threads. If it had all of them at once, a sign-in that
            // comes meanwhile would wait behind them; so it is soon next.
            while made.count < recipients.count {
                while begun < min(recipients.count, made.count + services.hasher.width + 1) {
                    let recipient = recipients[begun]
                    group.addTask { try await make(for: recipient, services) }
                    begun += 1
                }
                guard let one = try await group.next() else { break }
                made[one.recipient.person.id] = one
                await context.progress(made.count, recipients.count)
            }
            return made
        }
    }

    /// How often it is tried again when too many sign-ins wait for a hash, and how long it is waited each time.
    private static let (attemptsMax, pause) = (300, Duration.milliseconds(200))

    private static func make(
        for recipient: PasswordRecipient, _ services: AdministrationServices
    ) async throws -> PreparedPassword {
        let password = recipient.policy.makeTemporaryPassword(from: services.surroundings)
        for _ in 1..<attemptsMax {
            try Task.checkCancellation()
            do {
                return PreparedPassword(
                    recipient: recipient, password: password, hash: try await services.hasher.hash(password))
            } catch is PasswordHasher.Overloaded {
                try await Task.sleep(for: pause)
            }
        }
        throw PasswordHasher.Overloaded()
    }
}
