import Foundation
import Hummingbird

/// The paths of Quizzler's own pages. Ids may have any characters, so they are escaped here and unescaped in
/// `QuizzlerContext.id`.
enum Link {
    static let home = "/"

    /// - Parameter path: The path of the page to return to.
    static func signIn(returningTo path: String) -> String {
        "/sign-in?return_to=\(escaped(path))"
    }

    static func organization(_ id: String) -> String {
        "/organizations/\(escaped(id))"
    }

    static func rosterClass(_ id: String, in organizationID: String) -> String {
        "\(organization(organizationID))/classes/\(escaped(id))"
    }

    static func escaped(_ id: String) -> String {
        id.addingPercentEncoding(withAllowedCharacters: unescaped) ?? ""
    }

    private static let unescaped = CharacterSet(
        charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")
}

extension QuizzlerContext {
    /// - Throws: `PageError.notFound` if the path has no such part.
    func id(_ name: String) throws -> String {
        guard let id = parameters.get(name)?.removingPercentEncoding else { throw PageError.notFound }
        return id
    }
}
