import Directory
import Foundation
import Storage

/// Makes the single sign-on profile with which the organization's devices sign their people in here.
package struct ShowSignOnProfile: Inquiry {
    package static let name = "device.profile"
    package static let summary = "Makes the single sign-on profile with which devices sign people in here."
    package static let privilege = Privilege.manageDevices
    package static let route = OperationRoute(.get, "sign-on-profile")
    package static let explanations: [String: String] = [:]
    /// Anybody can be the administrator of a sandbox, and its name would get the signature of whoever runs the server.
    package static let worksInSandboxes = false

    package struct Answer: Codable, Sendable {
        /// The file, `.mobileconfig`: a property list in XML, or a CMS message in DER around one.
        package let profile: Data
        /// The name in the certificate that has signed it; nil if it is not signed.
        package let signer: String?
        /// When that certificate ends.
        package let signerValidUntil: Date?
    }

    package init() {}

    package func subject(in context: OperationContext, _ transaction: some Transaction) throws -> Listing {
        Listing(organization: try context.requiredOrganization(transaction))
    }

    package func answer(
        about listing: Listing, in context: OperationContext, _ transaction: some Transaction
    ) throws -> Answer {
        let organization = try context.requiredOrganization(transaction)
        guard let profile = context.services.signOnProfile else {
            throw OperationError.refused("Nothing here can make a profile; the server itself can.")
        }
        do {
            let made = try profile.make(for: organization.name, at: context.now)
            return Answer(
                profile: made.content, signer: made.signature?.signer, signerValidUntil: made.signature?.validUntil)
        } catch let problem as SignOnProfile.Problem {
            throw OperationError.refused(problem.reason)
        }
    }
}
