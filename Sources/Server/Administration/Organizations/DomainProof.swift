import Authorization
import Crypto
import Directory
import DomainNames
import Foundation
import Ground
import Storage

/// The TXT record by which an organization shows that a domain is its own: only whoever runs the zone can put it there.
///
/// It is worked out from the organization, the domain and the server's key, so that it need not be stored: it is the
/// same whenever it is asked for, differs between organizations and domains, and cannot be guessed.
package struct DomainProof: Codable, Equatable, Sendable {
    /// Where the record stands, for example `_lanyard-verify.maple.example`.
    package let name: String
    /// What it says.
    package let value: String

    init(of domain: String, by organization: Organization, under masterKey: MasterKey) {
        name = "_lanyard-verify.\(domain)"
        let code = HMAC<SHA256>.authenticationCode(
            for: Data("\(organization.publicID) \(domain)".utf8), using: masterKey.key(for: "domain proofs"))
        // 128 bits, which nobody guesses.
        value = "lanyard-verify=\(Data(code).prefix(16).base64URLEncoded)"
    }
}

extension TextRecordFailure {
    func explanation(of proof: DomainProof) -> String {
        switch self {
        case .noSuchName:
            """
            \(proof.name) does not exist. Add a TXT record with the value “\(proof.value)” to the zone. A name server can \
            go on for some hours with what the zone had before.
            """
        case .noRecord:
            "\(proof.name) exists, but has no TXT record. Add one with the value “\(proof.value)”."
        case .noAnswer(let reason):
            """
            No name server has said what \(proof.name) has (\(reason)). Try again later; if it goes on, whoever runs this \
            server has to look into it.
            """
        }
    }
}
