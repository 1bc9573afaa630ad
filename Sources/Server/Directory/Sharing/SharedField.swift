/// A field of people or classes that an organization can keep from an app. What is needed to tell records apart, such
/// as ids, the names of classes, roles and places, is always there.
package enum SharedField: String, Codable, Sendable, CaseIterable {
    case email
    case givenName = "given-name"
    case middleName = "middle-name"
    case familyName = "family-name"
    case grade
    case classDisplayName = "class-display-name"
    case classNumber = "class-number"
    case classRoom = "class-room"
}
