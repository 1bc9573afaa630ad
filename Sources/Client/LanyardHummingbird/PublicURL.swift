import Foundation
import Ground

/// The origin by which browsers reach the app. Cookies with a session in them are sent over https only, except on this
/// machine.
struct PublicURL {
    /// Without a slash at the end.
    let text: String
    let isSecure: Bool

    init?(_ url: String) {
        let text = url.hasSuffix("/") ? String(url.dropLast()) : url
        guard let parts = URLComponents(string: text), parts.path.isEmpty, parts.query == nil, parts.fragment == nil,
            parts.user == nil, let origin = WebOrigin(of: text), parts.scheme == origin.scheme, origin.isSafeForSecrets
        else { return nil }
        self.text = text
        isSecure = origin.isSecure
    }
}
