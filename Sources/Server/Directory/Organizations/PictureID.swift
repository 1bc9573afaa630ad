import Crypto
import Foundation
import Ground

/// How pages name a picture.
package enum PictureID {
    /// - Parameter picture: a PNG file.
    /// - Returns: 22 characters of base64url, from its SHA-256.
    package static func of(_ picture: Data) -> String {
        Data(SHA256.hash(data: picture).prefix(16)).base64URLEncoded
    }
}
