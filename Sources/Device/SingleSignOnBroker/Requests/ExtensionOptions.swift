import SingleSignOn
import SingleSignOnWire

/// The options that an extension gets with a request.
///
/// docs/specifications/extensible-single-sign-on.md, 10.7 and 13.5.
enum ExtensionOptions {
    /// Set by the broker alone and never by a caller, because extensions trust them.
    private static let brokersOwn: Set<String> = [
        "responseCode", "isProxy", "challenges", "conversation", "serverCertificate", "userActionInitiated",
        "initiatorOrigin", "initiatingAction", "initiatingPath",
    ]

    /// - Parameters:
    ///   - heedingPage: whether the caller may say which page a browser was on.
    ///   - process: of the caller, so that none continues another's negotiation.
    static func options(
        of request: BrokerRequest, heedingPage: Bool, by process: Int32
    ) -> [String: PropertyListValue] {
        var options: [String: PropertyListValue] = [:]
        for option in request.options ?? [] where !brokersOwn.contains(option.name) {
            options[option.name] = .string(option.value)
        }
        if let scopes = request.scopes { options["scope"] = .string(scopes.joined(separator: " ")) }
        options["state"] = request.state.map(PropertyListValue.string) ?? options["state"]
        options["nonce"] = request.nonce.map(PropertyListValue.string) ?? options["nonce"]
        if let code = request.responseCode, code != 0 {
            options["responseCode"] = .integer(Int64(code))
            options["isProxy"] = .boolean(code == 407)
            let challenges = (request.headers ?? []).values(of: code == 407 ? "Proxy-Authenticate" : "WWW-Authenticate")
            options["challenges"] = .array(challenges.map(PropertyListValue.string))
            // A proxy's challenge has nothing to do with the certificate of the server behind it.
            if code == 401 { options["serverCertificate"] = request.serverCertificate.map(PropertyListValue.data) }
            options["conversation"] = request.conversation.map { .string("\(process)-\($0)") }
        }
        if heedingPage, let page = request.page {
            options["userActionInitiated"] = page.userActionInitiated.map(PropertyListValue.boolean)
            options["initiatorOrigin"] = page.initiatorOrigin.map(PropertyListValue.string)
            options["initiatingAction"] = page.initiatingAction.map { .integer(Int64($0)) }
            options["initiatingPath"] = page.initiatingPath.map(PropertyListValue.string)
        }
        return options
    }
}
