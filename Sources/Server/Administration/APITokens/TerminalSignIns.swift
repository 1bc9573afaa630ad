import Authorization
import Directory
import Foundation
import Ground
import Storage

/// How people become administrators at a terminal: it shows a code, the person enters the code in a browser in which
/// they are signed in, and agrees. RFC 8628.
package struct TerminalSignIns: Sendable {
    package struct Codes: Sendable {
        /// For the terminal.
        package let deviceCode: String
        /// For the person, such as `WDJB-MJHT`.
        package let userCode: String
    }

    /// Why there is no token yet, or will be none. The raw values are the error codes of RFC 8628 §3.5.
    package enum Refusal: String, Error {
        case pending = "authorization_pending"
        case slowDown = "slow_down"
        case denied = "access_denied"
        case expired = "expired_token"
        case unknown = "invalid_grant"
    }

    private let database: any Database
    private let surroundings: Surroundings
    private let founding: DeveloperRules.Founding

    /// - Parameter founding: who may make teams of app developers.
    package init(
        database: any Database, surroundings: Surroundings, founding: DeveloperRules.Founding = .nobody
    ) {
        self.database = database
        self.surroundings = surroundings
        self.founding = founding
    }

    /// - Parameters:
    ///   - program: how the terminal calls itself; people see at most 100 printable characters of it.
    ///   - scope: privileges, separated by spaces; nil for all that the person has.
    /// - Throws: ``APITokens/Refusal/invalidScope``
    package func begin(program: String, scope: String?, address: String?) async throws -> Codes {
        let now = surroundings.now()
        let privileges = try scope.map(APITokens.privileges) ?? Set(Privilege.allCases)
        let device = Secret(from: surroundings)
        let program = String(program.printable().prefix(100))
        return try await database.write { transaction in
            Codes(
                deviceCode: device.text,
                userCode: try TerminalSignIn.insert(
                    device.hash, program: program, address: address, privileges: privileges, at: now,
                    from: surroundings, in: transaction))
        }
    }

    /// The terminal that waits with this code; nil if none does.
    /// - Parameter userCode: as typed; case, spaces and hyphens are ignored.
    package func waiting(userCode: String) async throws -> TerminalSignIn? {
        let now = surroundings.now()
        return try await database.read { try TerminalSignIn.find(userCode: userCode, at: now, in: $0) }
    }

    /// The privileges that the terminal would get from this person, at any place or in any team; empty if the person is
    /// neither an administrator nor a developer of apps.
    package func privileges(of person: PersonID, for waiting: TerminalSignIn) async throws -> Set<Privilege> {
        let now = surroundings.now()
        return try await database.read { transaction in
            do {
                let authority = try Authority.of(person, at: now, in: transaction).limited(to: waiting.privileges)
                // Everybody has `teams.join`. It is worth a token only to people who are in a team, or may make one.
                let ways = try WaysIntoTeams(of: authority, under: founding, transaction)
                return ways.areOpenUninvited ? authority.privileges : authority.privileges.subtracting([.joinTeams])
            } catch OperationError.signedOut {
                return []
            }
        }
    }

    /// Records whether the person of a session allows a terminal to act as an administrator in their name.
    /// - Returns: false if there was a decision before, or the sign-in has expired.
    package func decide(
        _ answer: TerminalSignIn.Answer, on waiting: TerminalSignIn, by session: BrowserSession, from origin: Origin
    ) async throws -> Bool {
        let now = surroundings.now()
        return try await database.write { transaction in
            let person = session.person
            guard
                try waiting.record(answer, by: person.id, session.version, at: now, in: transaction)
            else { return false }
            try AuditEntry(
                .apiTokenIssued, by: .person(person.id), on: "person:\(person.id.rawValue)",
                outcome: answer == .allowed ? .done : .refused, detail: "terminal, \(waiting.privileges.text)",
                from: origin
            ).append(to: person.organizationID, at: now, in: transaction)
            return true
        }
    }

    /// A token for the terminal, once the person has allowed it.
    /// - Throws: ``Refusal``
    package func redeem(deviceCode: String) async throws -> APITokens.Issued {
        let now = surroundings.now()
        let token = Secret(from: surroundings)
        return try await database.decide { transaction -> Verdict<APITokens.Issued, Refusal> in
            guard let waiting = try TerminalSignIn.find(SecretHash(of: deviceCode), in: transaction) else {
                return .commitRefusal(.unknown)
            }
            guard now < waiting.expiresAt else { return .commitRefusal(.expired) }
            guard try waiting.noteQuestion(at: now, in: transaction) else { return .commitRefusal(.slowDown) }
            switch waiting.answer {
            case nil: return .commitRefusal(.pending)
            case .denied: return .commitRefusal(.denied)
            case .allowed: break
            }
            guard let holder = waiting.holder, try waiting.take(in: transaction) else {
                return .commitRefusal(.unknown)
            }
            try holder.insert(
                token.hash, until: now.addingTimeInterval(TerminalSignIn.tokenLifetime), in: transaction)
            let authority = try holder.authority(at: now, in: transaction)
            return .commit(
                APITokens.Issued(
                    token: token.text, lifetime: Int(TerminalSignIn.tokenLifetime),
                    scope: authority.privileges.text,
                    organization: try APITokens.name(of: authority.organization, in: transaction)))
        }
    }

    /// Ends a token without asking who sends it: knowing the token is proof enough. RFC 7009.
    package func revoke(_ token: String) async throws {
        try await database.write {
            try $0.execute("DELETE FROM api_token WHERE token_hash = $1", [SecretHash(of: token)])
        }
    }
}
