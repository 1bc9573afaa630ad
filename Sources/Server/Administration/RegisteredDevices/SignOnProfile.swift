import Foundation

/// Makes the single sign-on profile with which devices of an organization sign their people in here. The program that
/// runs the server brings it, because profiles belong to the rooms of devices, which the server does not know.
package struct SignOnProfile: Sendable {
    /// Why there is none: a sentence for people.
    package struct Problem: Error {
        package let reason: String

        package init(reason: String) { self.reason = reason }
    }

    /// Who has signed a profile.
    package struct Signature: Equatable, Sendable {
        /// The name in the certificate.
        package let signer: String
        /// When the certificate ends.
        package let validUntil: Date

        package init(signer: String, validUntil: Date) {
            self.signer = signer
            self.validUntil = validUntil
        }
    }

    package struct Made: Sendable {
        /// A property list in XML; with a signature around it, a CMS message in DER (RFC 5652).
        package let content: Data
        /// Nil if it is not signed.
        package let signature: Signature?

        package init(content: Data, signature: Signature?) {
            self.content = content
            self.signature = signature
        }
    }

    private let making: @Sendable (_ organization: String, _ now: Date) throws -> Made

    /// - Parameter making: throws ``Problem``.
    package init(_ making: @escaping @Sendable (_ organization: String, _ now: Date) throws -> Made) {
        self.making = making
    }

    /// The profile for an organization of this name.
    /// - Throws: ``Problem``
    package func make(for organization: String, at now: Date) throws -> Made { try making(organization, now) }
}
