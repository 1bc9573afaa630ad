import Storage

/// The protocol of a request and of everything that results from it. ``ProtocolManners`` has the differences.
package enum Profile: String, Sendable, SQLConvertible {
    /// An organization shares its roster: `/auth/oauth2/v2/…`.
    case roster
    /// A person signs in, in the protocol of the service that we are compatible with: `/auth/…`.
    case compatible
    /// A person signs in, in standard OpenID Connect: `/oidc/…`.
    case standard
}
