import Crypto
import Foundation
import Ground

extension MasterKey {
    /// Tells keys apart, and says nothing about the key: 32 hexadecimal digits of another key that follows from it. Copies of the
    /// database name by it the key that belongs to them.
    package var fingerprint: String {
        key(for: "fingerprint").withUnsafeBytes { Array($0.prefix(16)).hexadecimal }
    }
}
