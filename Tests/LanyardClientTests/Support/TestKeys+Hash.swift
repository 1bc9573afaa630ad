import Crypto
import Foundation

extension TestKeys {
    /// `at_hash` or `c_hash` of a text.
    static func hash(_ text: String) -> String {
        base64URL(Data(SHA256.hash(data: Data(text.utf8)).prefix(16)))
    }
}
