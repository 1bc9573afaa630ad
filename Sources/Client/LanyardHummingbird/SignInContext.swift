import Hummingbird

/// A request context with the person who is signed in.
public protocol SignInContext: RequestContext {
    /// Nil if nobody is signed in.
    var person: SignedInPerson? { get set }
}

extension SignInContext {
    /// The person who is signed in, for routes behind `SignIn.required()`.
    /// - Throws: status 401 if nobody is signed in.
    public func requirePerson() throws -> SignedInPerson {
        guard let person else { throw HTTPError(.unauthorized, message: "Nobody is signed in.") }
        return person
    }
}

/// For apps that need no context of their own.
public struct BasicSignInContext: SignInContext {
    public var coreContext: CoreRequestContextStorage
    public var person: SignedInPerson?

    public init(source: ApplicationRequestContextSource) {
        coreContext = CoreRequestContextStorage(source: source)
    }
}
