import Authorization
import Crypto
import Directory
import Foundation
import Ground
import Storage

/// A record that knows its own version.
package protocol Versioned {
    /// See ``OperationSubject/version(in:)``.
    var version: String { get }
}

/// The subject of an operation, with what is needed to decide who may do it.
package protocol OperationSubject: Sendable {
    /// The organization to which it belongs; nil if it belongs to none.
    var subjectOrganization: OrganizationID? { get }

    /// The team to which it belongs; nil if it belongs to none. What belongs to neither an organization nor a team,
    /// only the operator may touch.
    var subjectTeam: TeamID? { get }

    /// Whether it belongs to nobody in particular, so that ``isOpen(to:for:in:)`` alone decides.
    var isOpenToAnybody: Bool { get }

    /// Its name in the audit trail, for example `person:12`.
    var auditName: String { get }

    /// Whether the caller has the privilege at the place of the subject.
    func isOpen(to authority: Authority, for privilege: Privilege, in transaction: some Transaction) throws -> Bool

    /// A short text that changes whenever something that administrators see of it changes; nil if it has no versions. Then
    /// a change that names one is refused, because nothing could hold it to what its caller has seen.
    func version(in transaction: some Transaction) throws -> String?
}

extension OperationSubject {
    package var subjectTeam: TeamID? { nil }
    package var isOpenToAnybody: Bool { false }
    package func version(in transaction: some Transaction) throws -> String? { nil }
}

extension String {
    /// A short text that is another one for other content, to be compared with what a caller has seen: see
    /// ``OperationSubject/version(in:)``.
    static func version(of content: some Sequence<UInt8>) -> String {
        Data(SHA256.hash(data: Array(content)).prefix(12)).base64URLEncoded
    }

    /// A short text that is another one when any of the parts is.
    static func version(of parts: [String]) -> String {
        // A part can have any character, so that its length has to be in the text.
        let text = parts.map { "\($0.utf8.count):\($0)" }.joined()
        return .version(of: text.utf8)
    }

    /// The version of what is not there, so that whoever makes it can say that they have seen none.
    package static let versionOfNothing = "none"
}
