import Hummingbird

/// A request context that knows who is signed in.
public protocol SignInContext: RequestContext {
    /// Nil if nobody is.
    var person: SignedInPerson? { get set }
}

extension SignInContext {
    /// Who is signed in, for routes behind `SignIn.required()`.
    /// - Throws: 401 if nobody is.
    public func requirePerson() throws -> SignedInPerson {
        guard let person else { throw HTTPError(.unauthorized, message: "Nobody is signed in.") }
        return person
    }
}

/// For an app whose requests carry nothing else.
public struct BasicSignInContext: SignInContext {
    public var coreContext: CoreRequestContextStorage
    public var person: SignedInPerson?

    public init(source: ApplicationRequestContextSource) {
        coreContext = CoreRequestContextStorage(source: source)
    }
}
