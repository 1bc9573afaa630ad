import CommandOutput
import Directory
import Foundation
import Storage

/// The organizations that a database has already.
struct SetupState: Equatable, Sendable {
    struct Known: Equatable, Sendable {
        let name: String
        let kind: Organization.Kind
        /// Without domains that nobody has proved.
        let domains: [String]
    }

    var organizations: [Known] = []

    init(_ organizations: [Known] = []) { self.organizations = organizations }

    init(in transaction: some Transaction) throws {
        organizations = try Organization.listOwn(in: transaction).map { organization in
            Known(
                name: organization.name, kind: organization.kind,
                domains: try Domain.list(of: organization.id, in: transaction).filter(\.isVerified).map(\.name))
        }
    }

    func has(_ name: String) -> Bool { organizations.contains { $0.name == name } }

    /// Whether the answers change something of a server that is set up already which is more than a setting.
    /// - Parameters:
    ///   - baseURL: of the settings so far; nil if they have none.
    ///   - movesDatabase: whether the answers name another database than the settings so far.
    /// - Returns: the reason to refuse them; nil if there is none.
    func refusal(of answers: SetupAnswers, baseURL: String?, movesDatabase: Bool) -> String? {
        if let other = organizations.first(where: { $0.name != answers.name && $0.domains.contains(answers.domain) }) {
            return "The domain \(answers.domain) belongs to \(other.name) already."
        }
        guard let first = organizations.first else { return nil }
        guard has(answers.name) else {
            return """
                This server is set up for \(first.name) already. Another name for it is given with `lanyard org set --name`, and \
                a further organization is made with `lanyard init`.
                """
        }
        if let kind = answers.kind, let known = organizations.first(where: { $0.name == answers.name }),
            known.kind != kind
        {
            return """
                \(known.name) is a \(known.kind.rawValue), and cannot become a \(kind.rawValue). Leave “kind” out of the answers, or say \
                \(known.kind.rawValue).
                """
        }
        if let baseURL, baseURL != answers.baseURL {
            return """
                This server is set up at \(baseURL) already. With another address passkeys, apps and devices find it no more: \
                docs/operate/moving.md says how an address is changed.
                """
        }
        if movesDatabase {
            return """
                This server is set up with another database already, and its records do not move by a setting. \
                docs/operate/moving.md says what moves.
                """
        }
        return nil
    }
}
