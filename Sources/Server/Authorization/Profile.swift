import Storage

/// The protocol of a request and of everything that comes of it. What differs between them: ``ProtocolManners``.
package enum Profile: String, Sendable, SQLConvertible {
    /// An organization shares its roster: `/auth/oauth2/v2/…`.
    case roster
    /// A person signs in, as with the service that we are compatible with: `/auth/…`.
    case compatible
    /// A person signs in, in OpenID Connect as everybody else speaks it: `/oidc/…`.
    case standard
}
