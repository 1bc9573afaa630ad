/// Implemented by an extension: it receives requests, and answers through them.
///
/// One instance serves all requests of all callers, which may overlap: keep the state of a request in local variables,
/// and the data of a caller in ``ASAuthorizationProviderExtensionAuthorizationRequest/callerData``.
/// docs/specifications/extensible-single-sign-on.md, 10.1 to 10.3.
@MainActor
public protocol ASAuthorizationProviderExtensionAuthorizationRequestHandler {
    /// Called once for each request. Return quickly, and answer later by one of the request's methods.
    func beginAuthorization(with request: ASAuthorizationProviderExtensionAuthorizationRequest)

    /// The caller has gone, or the time limit has passed. Stop working on the request; an answer is ignored.
    func cancelAuthorization(with request: ASAuthorizationProviderExtensionAuthorizationRequest)
}

extension ASAuthorizationProviderExtensionAuthorizationRequestHandler {
    public func cancelAuthorization(with request: ASAuthorizationProviderExtensionAuthorizationRequest) {}
}

/// The program of an extension: mark a type that conforms with `@main`.
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
    /// Serves requests until the broker closes the connection, then ends the program.
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
