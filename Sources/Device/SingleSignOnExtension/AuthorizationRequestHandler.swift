/// What an extension implements: it is asked, and answers through the request.
///
/// One instance serves all requests of all callers, which may overlap: keep what belongs to a request with the request,
/// and what belongs to a caller in ``ASAuthorizationProviderExtensionAuthorizationRequest/callerData``.
/// docs/specifications/extensible-single-sign-on.md, 10.1 to 10.3.
@MainActor
public protocol ASAuthorizationProviderExtensionAuthorizationRequestHandler {
    /// Called once for each request. Return soon, and answer later by one of the request's methods.
    func beginAuthorization(with request: ASAuthorizationProviderExtensionAuthorizationRequest)

    /// The caller has gone, or the time is over. Stop working on it; an answer is not heard any more.
    func cancelAuthorization(with request: ASAuthorizationProviderExtensionAuthorizationRequest)
}

extension ASAuthorizationProviderExtensionAuthorizationRequestHandler {
    public func cancelAuthorization(with request: ASAuthorizationProviderExtensionAuthorizationRequest) {}
}

/// The program of an extension: mark a type with `@main`, and it is one.
///
/// ```swift
/// @main
/// struct Greeter: AuthorizationExtension {
///     func beginAuthorization(with request: ASAuthorizationProviderExtensionAuthorizationRequest) {
///         request.doNotHandle()
///     }
/// }
/// ```
@MainActor
public protocol AuthorizationExtension: ASAuthorizationProviderExtensionAuthorizationRequestHandler {
    init()
}

extension AuthorizationExtension {
    /// Serves requests until the broker has no more, then ends the program.
    public static func main() async {
        do {
            let connection = try BrokerConnection.inherited()
            await connection.serve(Self())
        } catch {
            writeToLog("\(error)")
            exitProgram(2)
        }
        exitProgram(0)
    }
}
