/// What comes beside the code when a person signs in to an app for the first time: the `user` field, JSON as text.
///
/// It comes by way of the browser and nobody has signed it, so it says what the person wants to be called, and no more.
/// The email address to rely on is the one in the identity token.
public struct SignInUser: Codable, Equatable, Sendable {
    /// Nil if the name was not asked for.
    public var name: Name?
    /// Nil if the address was not asked for, or the account has none.
    public var email: String?

    public struct Name: Codable, Equatable, Sendable {
        public var firstName: String?
        public var lastName: String?

        public init(firstName: String? = nil, lastName: String? = nil) {
            self.firstName = firstName
            self.lastName = lastName
        }
    }

    public init(name: Name? = nil, email: String? = nil) {
        self.name = name
        self.email = email
    }
}
