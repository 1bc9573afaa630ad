import CommandOutput
import Foundation
import Ground

/// The base URL of a server that is administrated from elsewhere, for example `https://id.maple.example`.
struct ServerAddress: Equatable, Sendable {
    /// Without a slash at the end.
    let text: String

    /// - Throws: ``Failure`` if it is no URL, has more than a host and a port, or would carry secrets in the clear.
    init(_ text: String) throws {
        guard let url = try? WebURL(text), ["", "/"].contains(url.path),
            [url.origin.description, url.origin.description + "/"].contains(text.lowercased())
        else {
            throw Failure("“\(text)” is not the address of a server. It has a form such as https://id.school.example.")
        }
        guard url.origin.isSafeForSecrets else {
            throw Failure("\(text) is not encrypted: use https. Only this machine itself may be asked with http.")
        }
        self.text = url.origin.description
    }
}
