import Foundation

extension Data {
    /// RFC 4648 section 5, without padding.
    package var base64URLEncodedString: String {
        base64EncodedString()
            .replacing("+", with: "-")
            .replacing("/", with: "_")
            .replacing("=", with: "")
    }

    /// Nil unless the text is base64url without padding.
    package init?(base64URLEncoded text: Substring) {
        let base64 = String(text).replacing("-", with: "+").replacing("_", with: "/")
        self.init(base64Encoded: base64 + String(repeating: "=", count: (4 - base64.utf8.count % 4) % 4))
    }
}
