/// How the answer of the authorization endpoint gets to the app.
public enum ResponseMode: String, Codable, Sendable {
    case query
    case fragment
    /// The browser posts a form to the redirect URI. The one way if a name or an address is asked for.
    case formPost = "form_post"
    /// A message from a popup to the page that opened it.
    case webMessage = "web_message"
}

/// What the authorization endpoint answers with.
public enum ResponseType: String, Codable, Sendable {
    case code
    /// With an identity token beside the code, which vouches for it with `c_hash`.
    case codeAndIdentityToken = "code id_token"
}
